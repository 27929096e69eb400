/**
 * Reads an id from a job's data. Returns an empty string, which matches no row, when the field is missing or not a
 * string.
 */
export function readId(data: unknown, field: string): string {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, field)) return '';
  const id: unknown = Reflect.get(data, field);
  return typeof id === 'string' ? id : '';
}
