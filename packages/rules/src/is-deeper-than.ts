const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether a JSON value is nested more than `maxDepth` levels deep. Not recursive, so no input exhausts the stack. */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= maxDepth) return true;
    level = level.flatMap((node) => Object.values(node).filter(isContainer));
  }
  return false;
}
