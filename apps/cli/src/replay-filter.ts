import { type Command, InvalidArgumentError, Option } from 'commander';
import { errorClasses, eventNames } from '@ringback/callbacks';
import type { DeliveryFilter } from '@ringback/database';
import { parseTime } from './time.js';
import { wholeNumber } from './whole-number.js';

/** What options name; the webhook is named by itself. */
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

/** Adds an option for each filter that `POST /developer/webhooks/{id}/replay` has. */
export function addFilterOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--status <list>', 'in one of these states: delivered, failed, skipped')
        .default(['failed', 'skipped'], 'failed,skipped')
        .argParser(parseStates),
    )
    .addOption(new Option('--event <name>', 'of this event').choices(eventNames))
    .option('--message-id <id>', 'of this message')
    .option('--mobile <number>', 'of this number')
    .option('--response-code <code>', 'last answered with this status', wholeNumber(100, 999))
    .addOption(new Option('--error <class>', 'last failed in this way').choices(errorClasses))
    .option('--since <time>', 'made at this time or later, such as 2026-01-31T12:00:00Z', parseTime)
    .option('--until <time>', 'made before this time', parseTime);
}

const replayable = ['delivered', 'failed', 'skipped'] as const;

function parseStates(list: string): FilterOptions['status'] {
  const named = list.split(',').map((name) => replayable.find((state) => state === name.trim()));
  const states = named.filter((state) => state !== undefined);
  if (states.length < named.length) throw new InvalidArgumentError(`Each must be one of ${replayable.join(', ')}.`);
  return states;
}

export const filterOf = (webhookId: string, { status, ...options }: FilterOptions): DeliveryFilter => ({
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

/** A filter as the API shows it, without what it does not say. */
export const describeFilter = (filter: DeliveryFilter) => ({
  status: filter.states?.join(','),
  event: filter.event,
  message_id: filter.messageId,
  mobile: filter.mobile,
  response_code: filter.responseCode,
  error: filter.error,
  since: filter.since,
  until: filter.until,
});
