let hasUnsavedChanges = false;

/** Records whether a form has changes that are not saved. */
export const setHasUnsavedChanges = (value: boolean) => {
  hasUnsavedChanges = value;
};

/** Returns whether the screen may be left. If there are unsaved changes, it asks the user. */
export const confirmLeave = () => !hasUnsavedChanges || window.confirm('Leave without saving your changes?');
