import { expect, test } from '@jest/globals';
import { createTestDatabase, execute, until } from '@ringback/testing';
import { openDatabase } from '../connection/database.js';
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
