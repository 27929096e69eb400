export type Failure = { input: string; reason: string };

/**
 * Resolves with the inputs for which `check` throws or rejects: the first 80 characters of each as JSON, and the error.
 * One test can cover a whole corpus: `expect(await failuresOf(inputs, check)).toEqual([])`. The checks run one after
 * another.
 */
export async function failuresOf<T>(
  inputs: Iterable<T>,
  check: (input: T) => void | Promise<void>,
): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (const input of inputs) {
    try {
      await check(input);
    } catch (error) {
      failures.push({ input: JSON.stringify(input).slice(0, 80), reason: String(error) });
    }
  }
  return failures;
}
