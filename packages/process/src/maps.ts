/** Groups items by key. Keys and items keep their order. */
export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Sets an entry of a map and makes it the newest. Above `maxEntries` the oldest entry is removed. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, maxEntries: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.size > maxEntries ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}
