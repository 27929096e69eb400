export type Failure = { input: string; reason: string };

/**
 * The inputs for which `check` throws: the first 80 characters of each, and the error. With it one test covers a whole
 * corpus: `expect(failuresOf(inputs, check)).toEqual([])`.
 */
export function failuresOf<T>(inputs: Iterable<T>, check: (input: T) => void): Failure[] {
  const failures: Failure[] = [];
  for (const input of inputs) {
    try {
      check(input);
    } catch (error) {
      failures.push({ input: JSON.stringify(input).slice(0, 80), reason: String(error) });
    }
  }
  return failures;
}
