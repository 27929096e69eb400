import { setTimeout as sleep } from 'node:timers/promises';
import { createAccessToken, recordTestCall, takeTestCall } from '@ringback/database';
import type { Client, TestApi } from '../api.fixture.js';
import { exampleChange } from '../changes/operations.js';
import { exampleDelivery } from '../deliveries/operations.js';
import { exampleReplay } from '../replays/operations.js';
import { exampleSubscription } from '../subscriptions/operations.js';
import { exampleTestAttempt } from '../test-calls/operations.js';
import { exampleVerification } from '../verification/operations.js';
import { exampleWebhook } from '../webhooks/operations.js';

/** Leaves nothing in the database but the account of the examples, with what they speak of, and calls as it. */
export async function makeExamples(api: TestApi): Promise<Client> {
  const { prisma } = api.db;
  await prisma.$executeRawUnsafe('TRUNCATE accounts, events, event_keys, deliveries, attempts CASCADE');
  const { accountId: id } = exampleWebhook;
  await prisma.account.create({ data: { id, name: 'example', callbackToken: 'rb_callback_example' } });
  const { payload: _none, unreadable: _all, ...webhook } = exampleWebhook;
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
  const client = api.clientOf((await createAccessToken(api.db, id))?.token ?? '');
  await prisma.change.deleteMany();
  await prisma.change.create({ data: exampleChange });
  return client;
}

/** Does what a worker does with test calls, but for the calls, until what it returns is called. */
export function answerTestCalls({ db }: TestApi): () => Promise<void> {
  let isOpen = true;
  const answerNext = async () => {
    const [waiting] = await db.prisma.testCall.findMany({ where: { takenAt: null }, take: 1 });
    const task = waiting && (await takeTestCall(db, waiting.id));
    if (task) await recordTestCall(db, task.id, { skipped: null, attempt: exampleTestAttempt });
  };
  const answerAll = async () => {
    for (; isOpen; await sleep(10)) await answerNext();
  };
  const answered = answerAll();
  return () => {
    isOpen = false;
    return answered;
  };
}
