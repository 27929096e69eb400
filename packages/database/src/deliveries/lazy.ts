/** Creates a value at the first call and keeps it. If `create` throws, the next call tries again. */
export function lazy<T>(create: () => T): () => T {
  let cached: { value: T } | undefined;
  return () => (cached ??= { value: create() }).value;
}
