import { InvalidArgumentError } from 'commander';
import { isUuid } from '@ringback/database';

/** Reads the id of an account, a webhook or an event from the command line. */
export function parseId(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It must be a UUID.');
  return text;
}
