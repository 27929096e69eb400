import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccessToken, recordTestCall, claimTestCall, findNewestOutcomePosition } from '@ringback/ledger';
import { until } from '@ringback/testing';
import type { Client, TestApi } from '../api.fixture.js';
import { exampleAccount, exampleAccountToken, exampleCaller } from '../accounts/schema.js';
import { exampleChange } from '../changes/schema.js';
import { exampleDelivery } from '../deliveries/schema.js';
import { exampleSession } from '../portal-sessions/schema.js';
import { exampleReplay } from '../replays/schema.js';
import { exampleBucket } from '../statistics/schema.js';
import { exampleSubscription } from '../subscriptions/schema.js';
import { exampleTestCallAttempt } from '../trying-out/schema.js';
import { exampleToken } from '../tokens/schema.js';
import { exampleVerification } from '../verification/schema.js';
import { exampleWebhook } from '../webhooks/schema.js';

/**
 * Replaces the database's content with the account of the examples and all its objects. Returns a client of the
 * account.
 */
export async function makeExamples(api: TestApi): Promise<Client> {
  const prisma = await api.db.prisma();
  await prisma.$executeRawUnsafe(
    'TRUNCATE accounts, events, event_keys, deliveries, attempts, delivery_ends, statistics CASCADE',
  );
  const { accountId: id } = exampleWebhook;
  await prisma.account.create({ data: { ...exampleCaller, theme: null, callbackToken: 'rb_callback_example' } });
  await prisma.account.create({ data: { ...exampleAccount, theme: null, callbackToken: 'rb_callback_example' } });
  const { bodyTemplate: _none, unreadable: _all, version: _hash, ...webhook } = exampleWebhook;
  await prisma.webhook.create({ data: { ...webhook, signingSecret: 'whsec_ZXhhbXBsZQ==' } });
  await prisma.verification.create({ data: exampleVerification });
  await prisma.subscription.create({ data: exampleSubscription });
  const { eventId, eventName: name, messageId, mobile, payload, receivedAt } = exampleDelivery;
  const event = { id: eventId, name, accountId: id, messageId, mobile, payload, receivedAt };
  await prisma.event.create({ data: { ...event, state: 'routed' } });
  const { id: deliveryId, webhookId, channel, state, attemptCount, dueAt, createdAt, updatedAt } = exampleDelivery;
  const times = { dueAt, createdAt, updatedAt };
  await prisma.delivery.create({
    data: { id: deliveryId, eventId, accountId: id, webhookId, channel, state, attemptCount, ...times },
  });
  for (const attempt of exampleDelivery.attempts) {
    const { requestHeaders, responseHeaders } = attempt;
    const headers = { requestHeaders: requestHeaders ?? {}, responseHeaders: responseHeaders ?? {} };
    await prisma.attempt.create({ data: { ...attempt, ...headers } });
  }
  // Transactions of other tests delay it.
  await until(async () => (await findNewestOutcomePosition(api.db)) !== null);
  const { filter, ...replay } = exampleReplay;
  await prisma.replay.create({ data: { ...replay, filter: { states: filter.states ?? [] } } });
  await makeTokens(api, id);
  const { counts, ...bucket } = exampleBucket;
  const [codes, numbers] = [[...counts.keys()], [...counts.values()]];
  for (const subjectId of [id, webhookId])
    await prisma.statistic.create({ data: { ...bucket, subjectId, resolution: 'hour', codes, counts: numbers } });
  const client = api.clientOf((await createAccessToken(api.db, id))?.token ?? '');
  await prisma.change.deleteMany();
  await prisma.change.create({ data: exampleChange });
  return client;
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

/** Stores the access token and the portal session that the examples show. The session has not ended. */
async function makeTokens({ db }: TestApi, accountId: string): Promise<void> {
  const prisma = await db.prisma();
  await prisma.accessToken.create({ data: { ...exampleToken, accountId, hash: hashOf('rb_access_example') } });
  const ofAccount = { ...exampleAccountToken, accountId: exampleAccount.id, hash: hashOf('rb_access_account') };
  await prisma.accessToken.create({ data: ofAccount });
  const { linkToken, bearer: _bearer, accountName: _name, accountTheme: _theme, ...session } = exampleSession;
  await prisma.portalSession.create({
    data: { ...session, linkHash: hashOf(linkToken), expiresAt: new Date(Date.now() + 3_600_000) },
  });
}

/** Completes test calls like a worker, but without sending requests, until the returned function is called. */
export function answerTestCalls({ db }: TestApi): () => Promise<void> {
  let isRunning = true;
  const answerNext = async () => {
    // Not through Prisma, which would need a fifth of the test's CPU time for it.
    const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM test_calls WHERE claimed_at IS NULL LIMIT 1');
    const waiting = rows[0];
    const task = waiting && (await claimTestCall(db, waiting.id));
    if (task) await recordTestCall(db, task.id, { type: 'attempted', attempt: exampleTestCallAttempt });
  };
  const answerAll = async () => {
    for (; isRunning; await sleep(50)) await answerNext();
  };
  const ended = answerAll();
  return () => {
    isRunning = false;
    return ended;
  };
}
