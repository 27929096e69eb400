/** The queue's engine answers, but cannot be trusted with jobs. The message names the variable and stands alone. */
export class UnfitEngineError extends Error {
  override readonly name = 'UnfitEngineError';
}

export const isUnfitEngine = (error: unknown): error is UnfitEngineError => error instanceof UnfitEngineError;
