/** The id in the data of one of our own jobs; an empty text, which no row has, when the data is not ours. */
export function idOf(data: unknown, field: string): string {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, field)) return '';
  const id: unknown = Reflect.get(data, field);
  return typeof id === 'string' ? id : '';
}
