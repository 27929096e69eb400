const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether a JSON value is nested more than `most` levels deep. Does not recurse, so no depth can exhaust the stack. */
export function isTooDeep(value: unknown, most: number): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= most) return true;
    level = level.flatMap((node) => Object.values(node).filter(isContainer));
  }
  return false;
}
