import { Option } from 'commander';
import { say } from './output.js';
import { wholeNumber } from './whole-number.js';

/** `--limit N`: how many rows at most; 50 when absent. */
export function limitOption(): Option {
  return new Option('--limit <number>', 'rows at most').default(50).argParser(wholeNumber(1, 10_000));
}

/** The newest rows, at most `limit`. Says on stderr when there are more, so that nobody takes them for all. */
export async function newest<T>(limit: number, list: (most: number) => Promise<T[]>): Promise<T[]> {
  const rows = await list(limit + 1);
  if (rows.length > limit) say(`ringback: these are the newest ${limit}; there are more (--limit)`);
  return rows.slice(0, limit);
}
