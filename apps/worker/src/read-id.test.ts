import { expect, test } from '@jest/globals';
import { endVerification, loadVerification, openDatabase, claimTestCall } from '@ringback/ledger';
import { readId } from '@ringback/queue';
import { createTestDatabase } from '@ringback/testing';

test('a job without a usable id matches no row', async () => {
  const database = await createTestDatabase();
  const db = openDatabase({ url: database.url, connections: 1, connectTimeoutMs: 60_000 });
  try {
    for (const data of [{}, null, { id: 7 }, { id: 'x' }]) {
      const id = readId(data, 'id');
      expect(await claimTestCall(db, id)).toBeNull();
      expect(await loadVerification(db, id)).toBeNull();
      await endVerification(db, id, 'it crashed its workers');
    }
  } finally {
    await db.close();
    await database.drop();
  }
});
