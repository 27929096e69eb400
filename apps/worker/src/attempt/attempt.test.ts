import { expect, test } from '@jest/globals';
import { defaultRetrySettings } from '@ringback/callbacks';
import type { DeliveryTask } from '@ringback/database';
import { attemptLeased, type AttemptDeps } from './attempt.js';
import type { Payload } from './payloads.js';

const task = {
  ...{ id: 'd', eventId: 'e', webhookId: 'w', accountId: 'a', lease: 'mine' },
  ...{
    state: 'pending',
    active: true,
    channel: 'sms',
    event: 'sms:message:status',
    attempts: 0,
    receivedAt: new Date(),
  },
  ...{
    payload: '{"id":"m"}',
    uri: 'http://receiver.test/',
    template: null,
    bearer: 'b',
    signing: true,
    signingSecrets: [],
  },
} as unknown as DeliveryTask;
const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const outcome = { type: 'response' as const, status: 200 };

/** Dependencies of an attempt that write down what it does. */
function openScene() {
  const steps: unknown[] = [];
  const did = <T>(step: string, result?: T) => Promise.resolve(steps.push(step)).then(() => result as T);
  const permit = {
    start: () => steps.push('start'),
    release: (result: unknown) => steps.push(['permit back', result]),
  };
  const deps = {
    limiter: { acquire: () => did('permit', permit) },
    payloads: {
      withPayload: (_task: unknown, _times: unknown, run: (payload: Payload) => unknown) =>
        did('payload').then(() => run({ payload: '{"id":"m"}' })),
    },
    store: {
      load: () => did('load', task),
      record: () => did('record', true),
      release: () => did('released'),
    },
    send: () => did('send', { outcome, durationMs: 20, requestHeaders: {} }),
    hasUnreadableSecret: () => false,
    ...{ log, retries: defaultRetrySettings, requireVerification: false, version: '1' },
  } as unknown as AttemptDeps;
  return { deps, steps };
}

test('an attempt times the receiver only: neither what it loads first nor what it records afterwards', async () => {
  const { deps, steps } = openScene();
  await attemptLeased(deps, task, { loadedAt: -Infinity, sendBy: Infinity });
  const result = { durationMs: 20, hasResponse: true };
  expect(steps.slice(0, -1)).toEqual(['permit', 'payload', 'load', 'start', 'send', ['permit back', result], 'record']);
});

test('a delivery whose event was deleted is released for the claim that fails it', async () => {
  const { deps, steps } = openScene();
  deps.payloads.withPayload = () => Promise.resolve(undefined);
  expect(await attemptLeased(deps, task, { loadedAt: -Infinity, sendBy: Infinity })).toMatchObject({ released: true });
  expect(steps).toEqual(['permit', 'released', ['permit back', undefined]]);
});
