/** Redis responds but may evict jobs. The message is complete and names the environment variable. */
export class UnsafeEvictionPolicyError extends Error {
  override readonly name = 'UnsafeEvictionPolicyError';
}

export const isUnsafeEvictionPolicy = (error: unknown): error is UnsafeEvictionPolicyError =>
  error instanceof UnsafeEvictionPolicyError;
