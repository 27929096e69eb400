import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createSecretKey, randomBytes } from 'node:crypto';
import { createWebhook, type Database, findTestCallResult, openDatabase, insertTestCall } from '@ringback/ledger';
import { backends, until } from '@ringback/testing';
import { startTestbed, type Testbed } from './worker.fixture.js';

const secretKeys = [{ id: 'k1', key: createSecretKey(randomBytes(32)) }];

describe.each(backends)('a webhook whose secret no key decrypts, on $name', ({ name }) => {
  let testbed: Testbed;
  let dbWithKeys: Database;
  let webhookId: string;
  let verificationId: string | null;
  beforeAll(async () => {
    testbed = await startTestbed(name);
    testbed.receiver.answerWith(({ body }) => ({ status: 200, body: body.toString() }));
    dbWithKeys = openDatabase({
      url: testbed.queueSettings.databaseUrl,
      secretKeys,
      connections: 1,
      connectTimeoutMs: 60_000,
    });
    const created = await createWebhook(dbWithKeys, testbed.account.id, {
      name: 'sealed',
      uri: `${testbed.receiver.origin}/sealed`,
      active: true,
      bodyTemplate: null,
      signing: true,
      secret: 's3cret',
      verificationCode: 'token',
    });
    webhookId = created.webhook.id;
    verificationId = created.verificationId;
  });
  afterAll(async () => {
    await dbWithKeys.close();
    await testbed.close();
  });

  const push = (to: string) => testbed.pushSamples('sms', { webhookId: to });
  const unreadableLogs = () => testbed.errors.filter(([event]) => event === 'webhook.secret_unreadable');
  const isPostponed = async () => {
    const { rows } = await testbed.db.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM deliveries WHERE webhook_id = $1 AND due_at > created_at + interval '1 millisecond'`,
      [webhookId],
    );
    return rows[0]?.count === 1;
  };

  test('uses up no attempt, is logged, and is called and verified when a worker has the key', async () => {
    await push(webhookId);
    await testbed.queues.enqueueVerification(String(verificationId));
    const other = await testbed.makeWebhook();
    await push(other.id);
    await testbed.waitForDelivery({ webhookId: other.id }, 'delivered');
    await until(isPostponed);
    // One entry for the webhook, however often its delivery and its verification are tried.
    await until(() => unreadableLogs().length > 0);
    expect(unreadableLogs()[0]).toEqual([
      'webhook.secret_unreadable',
      expect.objectContaining({ webhook_id: webhookId, error: expect.stringContaining('webhooks.secret') }),
    ]);
    await testbed.addWorker({ secretKeys });
    const { attempts } = await testbed.waitForDelivery({ webhookId }, 'delivered');
    expect(attempts).toHaveLength(1);
    const isPassed = async () => {
      const { rows } = await testbed.db.pool.query<{ state: string; attempts: number }>(
        'SELECT state, attempt_count AS attempts FROM verifications WHERE webhook_id = $1',
        [webhookId],
      );
      return rows[0]?.state === 'passed' && rows[0];
    };
    expect((await until(isPassed)).attempts).toBe(1);
    expect(unreadableLogs()).toHaveLength(1);
  });
});

test('a test call to a webhook whose secret no key decrypts returns the reason', async () => {
  const testbed = await startTestbed('postgres');
  const dbWithKeys = openDatabase({
    url: testbed.queueSettings.databaseUrl,
    secretKeys,
    connections: 1,
    connectTimeoutMs: 60_000,
  });
  const { webhook } = await createWebhook(dbWithKeys, testbed.account.id, {
    name: 'sealed',
    uri: `${testbed.receiver.origin}/sealed`,
    active: true,
    bodyTemplate: null,
    signing: true,
    secret: 's3cret',
    verificationCode: null,
  });
  const call = { webhookId: webhook.id, event: 'sms:message:status', payload: '{"id":"a"}' } as const;
  const started = await insertTestCall(testbed.db, testbed.account.id, call, {
    maxConcurrent: 1,
    staleAfterMs: 60_000,
  });
  const id = started?.id ?? '';
  await testbed.queues.enqueueTestCall(id);
  const result = await until(async () => (await findTestCallResult(testbed.db, id)) ?? undefined);
  expect(result).toEqual({ type: 'skipped', reason: 'a secret of the webhook cannot be decrypted' });
  await dbWithKeys.close();
  await testbed.close();
});
