/** Redis responds but may evict jobs. The message names the environment variable and says what to change. */
export class UnsafeEvictionPolicyError extends Error {
  override readonly name = 'UnsafeEvictionPolicyError';
}

export const isUnsafeEvictionPolicy = (error: unknown): error is UnsafeEvictionPolicyError =>
  error instanceof UnsafeEvictionPolicyError;
