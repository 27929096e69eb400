import { expect, test } from '@jest/globals';
import { parseEvent } from '@ringback/rules';
import { storeEvents, createAccount, createWebhook, openDatabase } from '@ringback/ledger';
import { createTestDatabase } from '@ringback/testing';
import { createDatabaseDeliveryLog } from './delivery-log.js';
import { followNewDeliveries } from './listen.js';

test('a log is followed from now on, even if it has more than one page of recent deliveries', async () => {
  const database = await createTestDatabase();
  const db = openDatabase({ url: database.url, connections: 2, connectTimeoutMs: 60_000 });
  try {
    const { id: accountId } = await createAccount(db, { name: 'listener' });
    const webhook = { name: 'in', uri: 'http://localhost/in', active: true, secret: null };
    const rest = { verificationCode: null, bodyTemplate: null, signing: true };
    const created = await createWebhook(db, accountId, { ...webhook, ...rest });
    const webhookId = created.webhook.id;
    const add = async (from: number, count: number) => {
      const events = Array.from({ length: count }, (_, index) => {
        const payload = { id: String(from + index), status: 'DELIVRD' };
        const parsed = parseEvent({ event: 'sms:message:status', webhook_id: webhookId, payload });
        if (!parsed.ok) throw new Error(parsed.reason);
        return parsed.event;
      });
      await storeEvents(db, events);
      await db.pool.query(`UPDATE deliveries SET state = 'skipped', due_at = NULL`);
    };
    await add(0, 150);
    const follower = await followNewDeliveries(createDatabaseDeliveryLog(db, accountId, undefined));
    expect(await follower.next()).toEqual([]);
    await add(150, 101);
    expect(await follower.next()).toHaveLength(101);
    expect(await follower.next()).toEqual([]);
  } finally {
    await db.close();
    await database.drop();
  }
});
