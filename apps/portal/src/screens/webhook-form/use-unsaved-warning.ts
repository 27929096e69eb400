import { useEffect } from 'react';
import { setHasUnsavedChanges } from '../../data/unsaved-changes.js';

/** While `isDirty`, the browser asks the user before they leave the screen or the page. */
export function useUnsavedWarning(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const onBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    setHasUnsavedChanges(true);
    window.addEventListener('beforeunload', onBeforeUnload);
    return () => {
      setHasUnsavedChanges(false);
      window.removeEventListener('beforeunload', onBeforeUnload);
    };
  }, [isDirty]);
}
