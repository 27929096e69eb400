/** Reads an id from the data of a job. Returns an empty text, which is the id of no row, when the field is missing. */
export function readId(data: unknown, field: string): string {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, field)) return '';
  const id: unknown = Reflect.get(data, field);
  return typeof id === 'string' ? id : '';
}
