import { type Command, Option } from 'commander';
import { errorClasses, eventNames } from '@ringback/rules';
import { wholeNumber } from '@ringback/process/command-line';
import type { DeliveryFilter } from '@ringback/ledger';
import { type FinalState, statusAliasOption, finalStatesOption } from '../options/states.js';
import { parseTime } from '../options/times.js';

/** The options that `addFilterOptions` adds. */
export type FilterOptions = {
  state: FinalState[];
  event?: DeliveryFilter['event'];
  messageId?: string;
  mobile?: string;
  responseCode?: number;
  error?: DeliveryFilter['error'];
  since?: Date;
  until?: Date;
};

/** Adds an option for each filter of `POST /developer/webhooks/{id}/replay` but `webhook_id`. */
export function addFilterOptions(command: Command): Command {
  return command
    .addOption(finalStatesOption())
    .addOption(statusAliasOption())
    .addOption(new Option('--event <name>', 'only this event name').choices(eventNames))
    .option('--message-id <id>', 'only this message')
    .option('--mobile <number>', 'only this phone number')
    .option('--response-code <code>', 'only deliveries whose last attempt got this status', wholeNumber(100, 999))
    .addOption(new Option('--error <class>', 'only deliveries whose last attempt had this error').choices(errorClasses))
    .option('--since <time>', 'only deliveries created at this time or later, such as 2026-01-31T12:00:00Z', parseTime)
    .option('--until <time>', 'only deliveries created before this time', parseTime);
}

/** Converts the options to the database's filter. */
export const toFilter = (webhookId: string, { state, ...options }: FilterOptions): DeliveryFilter => ({
  webhookId,
  states: state,
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
