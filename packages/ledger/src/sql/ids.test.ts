import { expect, test } from '@jest/globals';
import { claimTestCall, endVerification, loadVerification, openDatabase } from '../index.js';
import { createTestDatabase } from '@ringback/testing';

test('an id that is not a UUID matches no row, because a job may hold any text', async () => {
  const database = await createTestDatabase();
  const db = openDatabase({ url: database.url, connections: 1, connectTimeoutMs: 60_000 });
  try {
    for (const id of ['', 'x']) {
      expect(await claimTestCall(db, id)).toBeNull();
      expect(await loadVerification(db, id)).toBeNull();
      await endVerification(db, id, 'it crashed its workers');
    }
  } finally {
    await db.close();
    await database.drop();
  }
});
