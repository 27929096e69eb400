/** The queue's engine responds but could lose jobs. The message is complete and names the environment variable. */
export class UnfitEngineError extends Error {
  override readonly name = 'UnfitEngineError';
}

export const isUnfitEngine = (error: unknown): error is UnfitEngineError => error instanceof UnfitEngineError;
