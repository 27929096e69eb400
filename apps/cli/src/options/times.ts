import { InvalidArgumentError } from 'commander';
import { parseTimestamp } from '@ringback/process';

/** Parses a time for commander. A time without an offset is UTC. */
export function parseTime(text: string): Date {
  const time = parseTimestamp(text);
  if (time === null) throw new InvalidArgumentError('It must be a time such as 2026-01-31T12:00:00Z.');
  return time;
}
