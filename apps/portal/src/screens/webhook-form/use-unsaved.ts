import { useEffect } from 'react';
import { setUnsaved } from '../../data/unsaved.js';

/** While `isDirty`, the user is asked before they leave the page or the screen. */
export function useUnsaved(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const onBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    setUnsaved(true);
    window.addEventListener('beforeunload', onBeforeUnload);
    return () => {
      setUnsaved(false);
      window.removeEventListener('beforeunload', onBeforeUnload);
    };
  }, [isDirty]);
}
