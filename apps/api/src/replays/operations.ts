import { z } from 'zod';
import type { Replay } from '@ringback/ledger';
import { webhookIdQuery } from '../deliveries/filter.js';
import { cursorPageSchemas, cursorQuery, exampleCursorPage } from '../http/pages/cursor-page.js';
import { tagOperations } from '../openapi/operation.js';
import { exampleWebhook, webhookPath } from '../webhooks/operations.js';
import { newReplaySchema } from './input.js';
import { replayCountSchema, replayResource, replaySchema } from './resource.js';

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
    response: { message: ['OK', 'Replay started'], data: z.union([replayCountSchema, replaySchema]) },
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
