/** How the handling of a job ended, short of trouble of our own, which is thrown. */
export type JobEnd =
  | { type: 'done' }
  /** An attempt failed; the next one is due in `waitMs`. */
  | { type: 'again'; waitMs: number }
  /** Nothing was done: it is not time yet for another `waitMs`. */
  | { type: 'early'; waitMs: number };
