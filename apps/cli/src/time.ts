import { InvalidArgumentError } from 'commander';
import { readTime } from '@ringback/runtime';

/** Reads a time from the command line; one without an offset is UTC. */
export function parseTime(text: string): Date {
  const time = readTime(text);
  if (time === null) throw new InvalidArgumentError('It must be a time such as 2026-01-31T12:00:00Z.');
  return time;
}
