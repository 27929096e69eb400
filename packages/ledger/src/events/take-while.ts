/** The items before the first one for which `matches` returns false. */
export function takeWhile<T>(items: T[], matches: (item: T, index: number) => boolean): T[] {
  const end = items.findIndex((item, index) => !matches(item, index));
  return end === -1 ? items : items.slice(0, end);
}
