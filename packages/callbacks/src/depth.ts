/** Whether a JSON value is nested more than `most` levels deep. Does not recurse, so no depth can exhaust the stack. */
export function isTooDeep(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const node of level) {
      if (typeof node !== 'object' || node === null) continue;
      if (depth >= most) return true;
      for (const child of Object.values(node)) if (typeof child === 'object' && child !== null) next.push(child);
    }
    level = next;
  }
  return false;
}
