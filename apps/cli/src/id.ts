import { InvalidArgumentError } from 'commander';
import { isUuid } from '@ringback/database';

/** An argument parser for the ids of accounts, webhooks, events and deliveries. */
export function parseId(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It must be a UUID.');
  return text;
}
