/** Sets an entry of a map and makes it the newest. Above `maxEntries` the oldest entry is removed. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, maxEntries: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.size > maxEntries ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}
