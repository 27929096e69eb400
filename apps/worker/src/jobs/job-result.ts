/** How a job ended. An internal error is thrown instead. */
export type JobResult =
  | { type: 'complete' }
  /** An attempt failed; the next one is due in `waitMs`. */
  | { type: 'retry'; waitMs: number }
  /** No attempt was made; the job is due in `waitMs`. */
  | { type: 'defer'; waitMs: number };
