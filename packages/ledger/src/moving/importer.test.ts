import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Importer, type ImportLine } from '../index.js';
import { openTestLedger, type TestLedger } from '../ledger.fixture.js';

let ledger: TestLedger;
beforeAll(async () => void (ledger = await openTestLedger()));
afterAll(() => ledger.close());

const makeAccounts = (count: number) => {
  return Array.from({ length: count }, () => ({ type: 'account' as const, id: randomUUID(), name: 'moving' }));
};
const importAll = (lines: ImportLine[]) =>
  Importer.run(ledger.db, { isDryRun: false }, (importer) => importer.importBatch(lines));

/** How many of the accounts are stored, and by how many transactions. */
async function readStored(lines: { id: string }[]) {
  const sql =
    'SELECT count(*)::int AS stored, count(DISTINCT xmin::text)::int AS transactions FROM accounts WHERE id = ANY($1)';
  return (await ledger.db.pool.query(sql, [lines.map(({ id }) => id)])).rows[0];
}

test('a batch is one transaction, and only its parts around a refused line have their own', async () => {
  const whole = makeAccounts(500);
  expect(new Set((await importAll(whole)).map(({ state }) => state))).toEqual(new Set(['created']));
  expect(await readStored(whole)).toEqual({ stored: 500, transactions: 1 });

  const taken = { type: 'account' as const, id: randomUUID(), name: 'first', externalId: 'taken' };
  await importAll([taken]);
  const lines: ImportLine[] = makeAccounts(499);
  lines.splice(123, 0, { ...taken, id: randomUUID() });
  const results = await importAll(lines);
  const refused = results.flatMap((result, index) => (result.state === 'refused' ? [[index, result.reason]] : []));
  expect(refused).toEqual([[123, 'external_id: another account has it']]);
  const { stored, transactions } = await readStored(lines as { id: string }[]);
  expect(stored).toBe(499);
  expect(transactions).toBeLessThanOrEqual(9);
});

test('of two webhooks in a batch with one verification, the second is refused', async () => {
  const verification = { id: randomUUID(), state: 'failed' as const };
  const lines = ['first', 'second'].map((name) => ({
    ...{ type: 'webhook' as const, id: randomUUID(), accountId: ledger.accountId, name, verification },
    uri: 'https://example.com/',
  }));
  const reason = 'verification.id: it is a verification of another webhook';
  expect(await importAll(lines)).toEqual([{ state: 'created' }, { state: 'refused', reason }]);
});
