import { z } from 'zod';
import type { Replay } from '@ringback/database';
import { webhookIdQuery } from '../deliveries/filter.js';
import { cursorFields, cursorQuery, exampleCursorPage } from '../http/cursor-page.js';
import { under } from '../openapi/operation.js';
import { exampleWebhook, whichWebhookPath } from '../webhooks/operations.js';
import { newReplaySchema } from './input.js';
import { replayCountSchema, replayResource, replaySchema } from './resource.js';

/** The replay of the examples. */
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

const whichReplay = { id: z.uuid().describe('The id of a replay of the account.') };
const path = { id: exampleReplay.id };

export const replayOperations = under('Replays', [
  {
    id: 'startReplay',
    at: 'POST /developer/webhooks/{id}/replay',
    search: true,
    scope: 'replay',
    summary: 'Send many deliveries of a webhook again',
    about:
      'Those that the filter fits, oldest first; without `filter.status` those that failed or were skipped. With `dry_run` ' +
      'they are counted only. 409 when the webhook is inactive, or a replay of it is running.',
    path: whichWebhookPath,
    body: newReplaySchema,
    answer: { message: ['OK', 'Replay started'], data: z.union([replayCountSchema, replaySchema]) },
    errors: [409],
    example: {
      path: { id: exampleWebhook.id },
      body: { filter: { error: 'timeout', since: '2026-01-15T09:00:00Z' }, dry_run: true },
      data: { count: 0, complete: true },
    },
  },
  {
    id: 'listReplays',
    at: 'GET /developer/replays',
    search: true,
    scope: 'read',
    summary: 'List replays',
    about: 'Newest first. Another filter than `webhook_id` is a 400.',
    query: { ...cursorQuery, ...webhookIdQuery },
    answer: { message: 'OK', data: z.array(replaySchema), more: cursorFields },
    errors: [422],
    example: { data: [replayResource(exampleReplay)], more: exampleCursorPage('/developer/replays') },
  },
  {
    id: 'showReplay',
    at: 'GET /developer/replays/{id}',
    scope: 'read',
    summary: 'Show how far a replay is',
    path: whichReplay,
    answer: { message: 'OK', data: replaySchema },
    example: { path, data: replayResource(exampleReplay) },
  },
  {
    id: 'cancelReplay',
    at: 'POST /developer/replays/{id}/cancel',
    scope: 'replay',
    summary: 'Cancel a replay',
    about: 'What it has made pending is still called. 409 when it is done.',
    path: whichReplay,
    answer: { message: 'Replay cancelled', data: replaySchema },
    errors: [409],
    example: {
      path,
      data: replayResource({ ...exampleReplay, state: 'cancelled', finishedAt: new Date('2026-01-15T09:46:00Z') }),
    },
  },
]);
