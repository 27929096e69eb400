let hasUnsaved = false;

export const setUnsaved = (value: boolean) => {
  hasUnsaved = value;
};

/** Asks the user before input gets lost. */
export const mayLeave = () => !hasUnsaved || window.confirm('Leave without saving what you changed?');
