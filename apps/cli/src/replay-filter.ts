import { type Command, InvalidArgumentError, Option } from 'commander';
import { errorClasses, eventNames } from '@ringback/callbacks';
import { wholeNumber } from '@ringback/command-line';
import type { DeliveryFilter } from '@ringback/database';
import { parseTime } from './time.js';

/** The options that `addFilterOptions` adds. */
export type FilterOptions = {
  status: NonNullable<DeliveryFilter['states']>;
  event?: DeliveryFilter['event'];
  messageId?: string;
  mobile?: string;
  responseCode?: number;
  error?: DeliveryFilter['error'];
  since?: Date;
  until?: Date;
};

/** Adds an option for each filter of `POST /developer/webhooks/{id}/replay`. */
export function addFilterOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--status <list>', 'only deliveries in these states: delivered, failed, skipped (comma-separated)')
        .default(['failed', 'skipped'], 'failed,skipped')
        .argParser(parseStates),
    )
    .addOption(new Option('--event <name>', 'only this event name').choices(eventNames))
    .option('--message-id <id>', 'only this message')
    .option('--mobile <number>', 'only this phone number')
    .option('--response-code <code>', 'only deliveries whose last response had this status', wholeNumber(100, 999))
    .addOption(new Option('--error <class>', 'only deliveries whose last attempt had this error').choices(errorClasses))
    .option('--since <time>', 'only deliveries created at this time or later, such as 2026-01-31T12:00:00Z', parseTime)
    .option('--until <time>', 'only deliveries created before this time', parseTime);
}

const replayableStates = ['delivered', 'failed', 'skipped'] as const;

function parseStates(list: string): FilterOptions['status'] {
  const states = list.split(',').map((name) => replayableStates.find((state) => state === name.trim()));
  const known = states.filter((state) => state !== undefined);
  if (known.length < states.length)
    throw new InvalidArgumentError(`Each must be one of ${replayableStates.join(', ')}.`);
  return known;
}

/** Converts the options to the database's filter. */
export const toFilter = (webhookId: string, { status, ...options }: FilterOptions): DeliveryFilter => ({
  webhookId,
  states: status,
  event: options.event,
  messageId: options.messageId,
  mobile: options.mobile,
  responseCode: options.responseCode,
  error: options.error,
  since: options.since,
  until: options.until,
});

/** Formats a filter with the field names of the API. */
export const filterJson = (filter: DeliveryFilter) => ({
  status: filter.states?.join(','),
  event: filter.event,
  message_id: filter.messageId,
  mobile: filter.mobile,
  response_code: filter.responseCode,
  error: filter.error,
  since: filter.since,
  until: filter.until,
});
