/** Makes a value when it is first asked for, and once; what throws is tried again. */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
