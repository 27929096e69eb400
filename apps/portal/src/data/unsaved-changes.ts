let hasUnsaved = false;

export const setHasUnsavedChanges = (value: boolean) => {
  hasUnsaved = value;
};

/** Asks the user before input gets lost. */
export const confirmLeave = () => !hasUnsaved || window.confirm('Leave without saving what you changed?');
