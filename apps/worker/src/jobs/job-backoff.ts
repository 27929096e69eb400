/** Tells BullMQ that an attempt failed. The message is fixed, because BullMQ treats some messages as commands. */
export class JobRetryError extends Error {
  override readonly name = 'JobRetryError';
  constructor(readonly waitMs: number) {
    super('the attempt failed');
  }
}

const maxWaitMs = 100_000_000;
/** How long a job waits after an internal error: 0.5 s at first, doubled each time up to 15 s. */
export const errorBackoffMs = { initial: 500, max: 15_000 };

/**
 * BullMQ's custom backoff: returns the wait that a JobRetryError carries, in whole ms up to 10^8; 15 s for any other
 * error. Never throws and never returns NaN.
 */
export function backoff(_attemptsMade: number, _type?: string, error?: Error): number {
  const waitMs = error instanceof JobRetryError ? error.waitMs : errorBackoffMs.max;
  return Number.isFinite(waitMs) ? Math.min(Math.max(0, Math.ceil(waitMs)), maxWaitMs) : maxWaitMs;
}
