import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import { type Database, openDatabase } from '../connection/database.js';
import { announcePaces, type PaceAnnouncement, parsePaceAnnouncement } from './announced-paces.js';
import { WakeUpListener } from './wake-ups.js';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url, connectTimeoutMs: 60_000 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const worker = {
  workerId: '7d0a1c5e-4c59-4c36-8f0c-1a2b3c4d5e6f',
  channels: ['sms', 'rcs'] as PaceAnnouncement['channels'],
};

test('a listener hears the paces of a thousand webhooks, and takes them for no due deliveries', async () => {
  const heard: PaceAnnouncement[] = [];
  const due: unknown[] = [];
  let isListening = false;
  const listener = new WakeUpListener(db, {
    onDue: (one) => void due.push(...one),
    onPaces: (announcement) => void heard.push(announcement),
    onMissed: () => void (isListening = true),
  });
  try {
    await until(() => isListening, 'it listens');
    const paces = Array.from({ length: 1_000 }, (_, index) => ({
      webhookId: crypto.randomUUID(),
      accountId: crypto.randomUUID(),
      pauseMs: index * 100,
      rate: (index % 90) + 0.5,
    }));
    await announcePaces(db, { ...worker, paces });
    await until(() => heard.flatMap((one) => one.paces).length === 1_000, 'all are heard');
    expect(heard.flatMap((one) => one.paces)).toEqual(paces);
    expect(heard.map(({ workerId, channels }) => ({ workerId, channels }))).toEqual(heard.map(() => worker));
    expect(due).toEqual([]);
  } finally {
    await listener.stop();
  }
});

test.each([
  '',
  'worker',
  'worker,sms,webhook|account|x|1',
  'worker,sms,webhook|account|1|0',
  'worker,sms,|account|1|1',
])('of %j, no pace is heard', (payload) => expect(parsePaceAnnouncement(payload).paces).toEqual([]));
