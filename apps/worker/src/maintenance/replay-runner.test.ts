import { expect, test } from '@jest/globals';
import { findReplay, startReplay } from '@ringback/ledger';
import { openTestLedger } from '@ringback/ledger/fixture';
import { until } from '@ringback/testing';
import { createReplayRunner } from './replay-runner.js';

test('a replay whose steps fail is logged, and a later replay ends all the same', async () => {
  const ledger = await openTestLedger();
  const stopping = new AbortController();
  try {
    const { db, accountId } = ledger;
    const start = async () => {
      const webhookId = await ledger.makeWebhook();
      return (await startReplay(db, accountId, { webhookId, filter: { webhookId }, rate: 100 }))!.id;
    };
    const [failing, later] = [await start(), await start()];
    await db.pool.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
      CREATE TRIGGER refuse BEFORE UPDATE ON replays FOR EACH ROW WHEN (NEW.id = '${failing}') EXECUTE FUNCTION refuse()`);
    const logged: unknown[] = [];
    const note = (event: string, fields?: object) => void logged.push([event, fields]);
    const log = { error: note, warn: note, info: note, debug: note };
    const running = createReplayRunner({ db, log }).run(stopping.signal);
    await until(async () => (await findReplay(db, accountId, later))?.state === 'done');
    stopping.abort();
    await running;
    expect(logged[0]).toEqual(['replay.failed', expect.objectContaining({ replay_id: failing })]);
    expect(logged).toContainEqual(['replay.ended', { replay_id: later, end: 'done' }]);
  } finally {
    stopping.abort();
    await ledger.close();
  }
});
