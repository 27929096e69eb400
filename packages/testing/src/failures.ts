export type Failure = { input: string; reason: string };

/**
 * Resolves with the inputs of a corpus that `check` rejects, each with its first 80 characters and the error, so that
 * one test covers a whole corpus: `expect(await failuresOf(inputs, check)).toEqual([])`. Checks run one after the other.
 */
export async function failuresOf<T>(inputs: Iterable<T>, check: (input: T) => Promise<void>): Promise<Failure[]> {
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
