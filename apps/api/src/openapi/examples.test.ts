import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createAccessToken, recordTestCall, takeTestCall } from '@ringback/database';
import { type Client, openApi, type TestApi } from '../api.fixture.js';
import { exampleChange } from '../changes/operations.js';
import { exampleDelivery } from '../deliveries/operations.js';
import { operations } from '../operations.js';
import { exampleReplay } from '../replays/operations.js';
import { exampleSubscription } from '../subscriptions/operations.js';
import { exampleTestAttempt } from '../test-calls/operations.js';
import { exampleVerification } from '../verification/operations.js';
import { exampleWebhook } from '../webhooks/operations.js';
import { placeOf } from './operation.js';

let api: TestApi;
let platform: Client;
beforeAll(async () => {
  api = await openApi();
  platform = await api.makePlatform();
});
afterAll(() => api.close());

let account: Client;
/** The account of the examples, with what they speak of. */
beforeEach(async () => {
  const { prisma } = api.db;
  await prisma.$executeRawUnsafe('TRUNCATE accounts, events, deliveries, attempts CASCADE');
  const { accountId: id } = exampleWebhook;
  await prisma.account.create({ data: { id, name: 'example', callbackToken: 'rb_callback_example' } });
  const { payload: _none, ...webhook } = exampleWebhook;
  await prisma.webhook.create({ data: { ...webhook, signingSecret: 'whsec_ZXhhbXBsZQ==' } });
  await prisma.verification.create({ data: exampleVerification });
  await prisma.subscription.create({ data: exampleSubscription });
  const { eventId, event: name, messageId, mobile, payload: report, receivedAt } = exampleDelivery;
  const event = { id: eventId, name, accountId: id, messageId, mobile, payload: report, receivedAt };
  await prisma.event.create({ data: { ...event, state: 'routed' } });
  const { id: deliveryId, webhookId, channel, state, attempts, nextAttemptAt, createdAt, updatedAt } = exampleDelivery;
  const times = { nextAttemptAt, createdAt, updatedAt };
  await prisma.delivery.create({
    data: { id: deliveryId, eventId, accountId: id, webhookId, channel, state, attempts, ...times },
  });
  for (const made of exampleDelivery.made) {
    const { requestHeaders, responseHeaders } = made;
    const headers = { requestHeaders: requestHeaders ?? {}, responseHeaders: responseHeaders ?? {} };
    await prisma.attempt.create({ data: { ...made, ...headers } });
  }
  const { filter, ...replay } = exampleReplay;
  await prisma.replay.create({ data: { ...replay, filter: { states: filter.states ?? [] } } });
  account = api.clientOf((await createAccessToken(api.db, id))?.token ?? '');
  await prisma.change.deleteMany();
  await prisma.change.create({ data: exampleChange });
});

const answersInEnvelope = operations.filter(({ answer }) => 'message' in answer);
const path = (operation: (typeof operations)[number]) => {
  const { path: values = {}, query = {} } = operation.example;
  const filled = Object.entries(values).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, String(value)),
    placeOf(operation).path,
  );
  const asked = new URLSearchParams(query).toString();
  return asked === '' ? filled : `${filled}?${asked}`;
};

/** What differs from one run to the next is as good as any other of its kind. */
const alike = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, one: unknown) => (key === 'id' && typeof one === 'number' ? 0 : one))
      .replace(/whsec_[\w+/=]+/g, '<secret>')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'),
  );

/** Does what a worker does with the next test call, but for the call. */
async function makeTestCall(tries = 200): Promise<void> {
  const [waiting] = await api.db.prisma.testCall.findMany({ take: 1 });
  const task = waiting && (await takeTestCall(api.db, waiting.id));
  if (task) return recordTestCall(api.db, task.id, { skipped: null, attempt: exampleTestAttempt });
  await sleep(10);
  if (tries > 0) return makeTestCall(tries - 1);
}

describe('the example of', () => {
  test.each(answersInEnvelope.map((operation) => [operation.id, operation] as const))('%s', async (_id, operation) => {
    const { method, path: template } = placeOf(operation);
    const { body: document } = await api.raw.get('/api/v2/openapi.json');
    const { responses } = document.paths[template][method];
    const [code = ''] = Object.keys(responses);
    const { example } = responses[code].content['application/json'];
    const client = operation.caller === 'platform' ? platform : account;
    const made = operation.atRoot
      ? api.raw[method](path(operation))
      : client[method](path(operation), operation.example.body);
    if (operation.id === 'testWebhook') void makeTestCall();
    const { status, body } = await made;
    expect([String(status), alike(body)]).toEqual([code, alike(example)]);
  });

  test.each(operations.filter(({ answer }) => 'type' in answer).map((operation) => [operation.id, operation] as const))(
    '%s',
    async (_id, operation) => {
      const below = operation.atRoot ? '' : '/api/v2';
      const { status, type } = await api.raw.get(`${below}${placeOf(operation).path}`);
      expect([status, { type }]).toEqual([200, operation.answer]);
    },
  );
});
