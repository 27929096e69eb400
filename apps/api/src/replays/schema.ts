import { z } from 'zod';
import type { DeliveryFilter, Replay } from '@ringback/ledger';
import { errorClasses } from '@ringback/rules';
import { deliveryFilterSchema } from '../deliveries/filter.js';
import { strictBody, validate, webhookIdQuery } from '../http/input.js';
import { tagOperations } from '../http/operation.js';
import { cursorPageSchemas, cursorQuery, exampleCursorPage } from '../http/pages.js';
import { formatTimestamp, timestampSchema, validationError } from '../http/response.js';
import { exampleWebhook, webhookPath } from '../webhooks/schema.js';

const rateRange = 'The rate field must be an integer between 1 and 1000.';

const isEmpty = (value: unknown) => value === null || (typeof value === 'string' && value.trim() === '');

/** Refuses empty filters. In the query of a list, an empty filter counts as absent. */
const filterWithoutEmptyValues = z.preprocess((filter, { issues }) => {
  if (typeof filter !== 'object' || filter === null) return filter;
  for (const [name, value] of Object.entries(filter).filter(([, value]) => isEmpty(value))) {
    const message = `The ${name} filter must not be empty. Leave it out instead.`;
    issues.push({ code: 'custom', path: [name], message, input: value });
  }
  return filter;
}, deliveryFilterSchema);

// A misspelt or empty filter must not select too many deliveries, so both are errors.
const newReplaySchema = strictBody({
  filter: filterWithoutEmptyValues.prefault({}),
  dry_run: z.boolean('The dry_run field must be true or false.').default(false),
  rate: z.int(rateRange).min(1, rateRange).max(1_000, rateRange).default(50),
}).meta({ id: 'ReplayInput' });

type ReplayRequest = { filter: DeliveryFilter; dryRun: boolean; rate: number };

/**
 * Reads `{filter, dry_run, rate}`. Without `filter.status` the filter selects failed and skipped deliveries. Throws a
 * 422 for invalid, unknown or empty fields, and if the filter selects pending deliveries, which cannot be replayed, or
 * a webhook that is not the one in the path.
 */
export function readReplay(body: unknown, webhookId: string): ReplayRequest {
  const { filter, dry_run: dryRun, rate } = validate(newReplaySchema, body);
  if (filter.states?.includes('pending')) {
    throw validationError({
      'filter.status': ['Pending deliveries cannot be replayed. They are sent without a replay.'],
    });
  }
  if (filter.webhookId !== undefined && filter.webhookId !== webhookId) {
    throw validationError({ 'filter.webhook_id': ['The webhook_id filter must be the webhook of the path.'] });
  }
  return { filter: { ...filter, webhookId, states: filter.states ?? ['failed', 'skipped'] }, dryRun, rate };
}

const replayFields = z.object({
  id: z.uuid(),
  webhook_id: z.uuid(),
  state: z.enum(['running', 'done', 'cancelled']),
  reason: z.string().nullable().describe('Why the service cancelled the replay; null otherwise.'),
  filter: z
    .object({
      status: z.string().nullable(),
      event: z.string().nullable(),
      message_id: z.string().nullable(),
      mobile: z.string().nullable(),
      response_code: z.int().nullable(),
      error: z.enum(errorClasses).nullable(),
      since: timestampSchema.nullable(),
      until: timestampSchema.nullable(),
    })
    .meta({ id: 'ReplayFilter' })
    .describe('The effective filter.'),
  rate: z.int().describe('The maximum number of deliveries per second.'),
  total: z
    .int()
    .nullable()
    .describe('The number of matching deliveries at the start; null when there were too many to count.'),
  replayed: z.int(),
  created_at: timestampSchema,
  updated_at: timestampSchema,
  finished_at: timestampSchema.nullable(),
});
const replaySchema = replayFields.meta({ id: 'Replay' });

const replayCountFields = z.object({
  count: z.int().describe('The number of matching deliveries, in a dry run.'),
  complete: z.boolean().describe('False when there are more deliveries than the count, in a dry run.'),
});
/** What starting a replay returns: a replay, or the count of a dry run. Many languages have no type for either. */
const startedReplaySchema = replayFields
  .partial()
  .extend(replayCountFields.partial().shape)
  .meta({ id: 'StartedReplay', description: 'A replay, or only `count` and `complete` in a dry run.' });

/** The result of a dry run in the format of the API. */
export const replayCountResource = (counted: {
  count: number;
  isComplete: boolean;
}): z.infer<typeof replayCountFields> => ({ count: counted.count, complete: counted.isComplete });

/** A replay in the format of the API, with its effective filter. */
export const replayResource = ({ filter, ...replay }: Replay): z.infer<typeof replaySchema> => ({
  id: replay.id,
  webhook_id: replay.webhookId,
  state: replay.state,
  reason: replay.reason,
  filter: {
    status: filter.states?.join(',') ?? null,
    event: filter.event ?? null,
    message_id: filter.messageId ?? null,
    mobile: filter.mobile ?? null,
    response_code: filter.responseCode ?? null,
    error: filter.error ?? null,
    since: formatTimestamp(filter.since ?? null),
    until: formatTimestamp(filter.until ?? null),
  },
  rate: replay.rate,
  total: replay.total,
  replayed: replay.replayed,
  created_at: formatTimestamp(replay.createdAt),
  updated_at: formatTimestamp(replay.updatedAt),
  finished_at: formatTimestamp(replay.finishedAt),
});

/** The replay that all examples show. */
export const exampleReplay: Replay = {
  id: '0199f3a0-af44-7abc-8def-0123456789ab',
  accountId: exampleWebhook.accountId,
  webhookId: exampleWebhook.id,
  filter: { states: ['failed', 'skipped'] },
  state: 'running',
  reason: null,
  rate: 50,
  total: 0,
  replayed: 0,
  createdAt: new Date('2026-01-15T09:45:00Z'),
  updatedAt: new Date('2026-01-15T09:45:00Z'),
  finishedAt: null,
};

const replayPath = { id: z.uuid().describe('The id of a replay of the account.') };
const path = { id: exampleReplay.id };

export const replayOperations = tagOperations('Replays', [
  {
    id: 'startReplay',
    route: 'POST /developer/webhooks/{id}/replay',
    isSearch: true,
    scope: 'replay',
    summary: 'Send many deliveries of a webhook again',
    description:
      'Sends the deliveries that match the filter, oldest first; without `filter.status` the failed and the ' +
      'skipped ones. With `dry_run` it only counts the deliveries. Without `dry_run`, 409 when the webhook is ' +
      'inactive or has a running replay, and when ten replays of the account are running.',
    path: webhookPath,
    body: newReplaySchema,
    response: { message: ['OK', 'Replay started'], data: startedReplaySchema },
    errors: [409],
    example: {
      path: { id: exampleWebhook.id },
      body: { filter: { error: 'timeout', since: '2026-01-15T09:00:00Z' }, dry_run: true },
      data: { count: 0, complete: true },
    },
  },
  {
    id: 'listReplays',
    route: 'GET /developer/replays',
    forRestrictedSession: 'filters',
    isSearch: true,
    scope: 'read',
    summary: 'List replays',
    description: 'Newest first. A filter other than `webhook_id` gets a 400.',
    query: { ...cursorQuery, ...webhookIdQuery },
    response: { message: 'OK', data: z.array(replaySchema), extraFields: cursorPageSchemas },
    errors: [422],
    example: { data: [replayResource(exampleReplay)], extraFields: exampleCursorPage('/developer/replays') },
  },
  {
    id: 'showReplay',
    route: 'GET /developer/replays/{id}',
    forRestrictedSession: 'filters',
    scope: 'read',
    summary: 'Show the progress of a replay',
    path: replayPath,
    response: { message: 'OK', data: replaySchema },
    example: { path, data: replayResource(exampleReplay) },
  },
  {
    id: 'cancelReplay',
    route: 'POST /developer/replays/{id}/cancel',
    forRestrictedSession: 'filters',
    scope: 'replay',
    summary: 'Cancel a replay',
    description: 'Deliveries that the replay has already made pending are still sent. 409 when the replay is done.',
    path: replayPath,
    response: { message: 'Replay cancelled', data: replaySchema },
    errors: [409],
    example: {
      path,
      data: replayResource({ ...exampleReplay, state: 'cancelled', finishedAt: new Date('2026-01-15T09:46:00Z') }),
    },
  },
]);
