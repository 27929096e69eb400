import { useEffect } from 'react';
import { setHasUnsavedChanges } from '../data/unsaved-changes.js';

/** While `isDirty`, the user is asked before a link or a button leads to another screen, and before the page closes. */
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
