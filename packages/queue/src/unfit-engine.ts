/** The queue's engine answers but could lose jobs. The message names the environment variable and is complete. */
export class UnfitEngineError extends Error {
  override readonly name = 'UnfitEngineError';
}

export const isUnfitEngine = (error: unknown): error is UnfitEngineError => error instanceof UnfitEngineError;
