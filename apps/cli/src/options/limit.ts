import { Option } from 'commander';
import { wholeNumber } from '@ringback/process/command-line';
import { printNotice } from '../output.js';

/** Creates the option `--limit <number>`: the maximum number of rows, 50 by default. */
export function limitOption(): Option {
  return new Option('--limit <number>', 'maximum rows').default(50).argParser(wholeNumber(1, 10_000));
}

/** Lists at most `limit` rows, newest first. When there are more, a notice on stderr says so. */
export async function listNewest<T>(limit: number, list: (maxRows: number) => Promise<T[]>): Promise<T[]> {
  const rows = await list(limit + 1);
  if (rows.length > limit) printNotice(`ringback: only the newest ${limit} are listed; there are more (--limit)`);
  return rows.slice(0, limit);
}
