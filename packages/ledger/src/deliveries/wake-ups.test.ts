import { expect, test } from '@jest/globals';
import { createTestDatabase, execute, until } from '@ringback/testing';
import { openDatabase } from '../connection/database.js';
import { subscribe } from '../index.js';
import { openTestLedger } from '../ledger.fixture.js';
import type { Due } from './due.js';
import { WakeUpListener } from './wake-ups.js';

test('a listener that cannot connect reports it once, and again after it has listened in between', async () => {
  const database = await createTestDatabase();
  const db = openDatabase({ url: database.url, connectTimeoutMs: 60_000 });
  let listenedCount = 0;
  const errors: unknown[] = [];
  const listener = new WakeUpListener(db, {
    onDue: () => undefined,
    onMissed: () => void listenedCount++,
    onFailed: (error) => void errors.push(error),
  });
  const allowConnections = (allowed: boolean) =>
    execute(`ALTER DATABASE ${database.name} WITH ALLOW_CONNECTIONS ${allowed}`);
  try {
    for (const count of [1, 2]) {
      await until(() => listenedCount === count, 'it listens');
      await allowConnections(false);
      await execute(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database.name}'`);
      await until(() => errors.length === count, 'it reports that it cannot connect');
      await allowConnections(true);
    }
    await until(() => listenedCount === 3, 'it listens again');
    expect(errors).toEqual([expect.objectContaining({ code: '55000' }), expect.objectContaining({ code: '55000' })]);
  } finally {
    await listener.stop();
    await db.close();
    await database.drop();
  }
});

test('storing events wakes the workers for each delivery that is not leased, when it commits', async () => {
  const ledger = await openTestLedger();
  const heard: Due[] = [];
  let isListening = false;
  const listener = new WakeUpListener(ledger.db, {
    onDue: (due) => void heard.push(...due),
    onMissed: () => void (isListening = true),
  });
  try {
    await until(() => isListening, 'it listens');
    // More deliveries than one notification holds.
    for (let count = 0; count < 60; count++)
      await subscribe(ledger.db, ledger.accountId, {
        event: 'sms:message:status',
        identity: 'all',
        webhookId: await ledger.makeWebhook(),
      });
    const due = await ledger.dueOf(await ledger.store('fan-out', null));
    expect(due).toHaveLength(60);
    await until(() => heard.length === 60, 'all are heard of');
    const sorted = (list: Due[]) => [...list].sort((a, b) => String(a.id).localeCompare(String(b.id)));
    expect(sorted(heard)).toEqual(sorted(due));
  } finally {
    await listener.stop();
    await ledger.close();
  }
});
