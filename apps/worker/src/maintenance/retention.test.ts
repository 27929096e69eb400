import { expect, test } from '@jest/globals';
import { openTestLedger } from '@ringback/ledger/fixture';
import { createRetentionService } from './retention.js';

test('a duty of retention that fails is logged, and the others are done', async () => {
  const ledger = await openTestLedger();
  try {
    const { db } = ledger;
    await db.pool.query(`INSERT INTO request_windows (token_id, request_count, ends_at)
    VALUES (gen_random_uuid(), 1, now() - interval '2 days'), (gen_random_uuid(), 1, now())`);
    const logged: unknown[] = [];
    const note = (event: string, fields?: object) => void logged.push([event, fields]);
    const log = { error: note, warn: note, info: note, debug: note };
    // Refuses the deletion of portal sessions.
    await db.pool.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
    CREATE TRIGGER refuse BEFORE DELETE ON portal_sessions EXECUTE FUNCTION refuse()`);
    await createRetentionService({ db, log }, { retentionDays: 30 }).run(new AbortController().signal);
    expect(logged).toEqual([
      ['retention.failed', expect.objectContaining({ duty: 'sessions' })],
      ['retention.completed', expect.objectContaining({ request_windows: 1 })],
    ]);
    expect((await db.pool.query('SELECT FROM request_windows')).rowCount).toBe(1);
  } finally {
    await ledger.close();
  }
});
