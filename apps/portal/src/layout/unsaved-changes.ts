import { useEffect } from 'react';

let hasUnsavedChanges = false;

/** Records whether a form has changes that are not saved. */
export const setHasUnsavedChanges = (value: boolean) => {
  hasUnsavedChanges = value;
};

/** Returns whether the screen may be left. If there are unsaved changes, it asks the user. */
export const confirmLeave = () => !hasUnsavedChanges || window.confirm('Leave without saving your changes?');

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
