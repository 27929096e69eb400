/** Tells BullMQ that an attempt failed at the receiver. The text is fixed: BullMQ treats some messages as commands. */
export class AttemptFailedError extends Error {
  override readonly name = 'AttemptFailedError';
  constructor(readonly waitMs: number) {
    super('the attempt failed');
  }
}

const maxWaitMs = 100_000_000;
/** How long a job waits after trouble of our own: doubled each time, from 0.5 s to 15 s. */
export const troubleWaitMs = { initial: 500, max: 15_000 };

/** BullMQ's custom backoff: the wait that the error carries, in ms. Never throws and never returns NaN. */
export function backoff(_attemptsMade: number, _type?: string, error?: Error): number {
  const waitMs = error instanceof AttemptFailedError ? error.waitMs : troubleWaitMs.max;
  return Number.isFinite(waitMs) ? Math.min(Math.max(0, Math.ceil(waitMs)), maxWaitMs) : maxWaitMs;
}
