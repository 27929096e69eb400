import { InvalidArgumentError } from 'commander';
import { isUuid } from '@ringback/database';

/** Parses the id of an account, webhook, event, delivery or replay for commander. */
export function parseId(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It must be a UUID.');
  return text;
}
