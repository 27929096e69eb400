import { InvalidArgumentError, Option } from 'commander';

/** `--limit N`: how many rows at most; 50 when absent. */
export function limitOption(): Option {
  return new Option('--limit <number>', 'rows at most').default(50).argParser((text) => {
    const limit = Number(text);
    if (!Number.isInteger(limit) || limit < 1 || limit > 10_000)
      throw new InvalidArgumentError('It must be a whole number from 1 to 10000.');
    return limit;
  });
}

/** The newest rows, at most `limit`. Says on stderr when there are more, so that nobody takes them for all. */
export async function newest<T>(limit: number, list: (most: number) => Promise<T[]>): Promise<T[]> {
  const rows = await list(limit + 1);
  if (rows.length > limit) process.stderr.write(`ringback: these are the newest ${limit}; there are more (--limit)\n`);
  return rows.slice(0, limit);
}
