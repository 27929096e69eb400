import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  createAccessToken,
  createAccessTokenFinder,
  createPlatformToken,
  createPlatformTokenFinder,
  createPortalBearerFinder,
  type Database,
  openDatabase,
  revokePlatformToken,
} from '../index.js';
import { openTestLedger, type TestLedger } from '../ledger.fixture.js';

let ledger: TestLedger;
/** All statements share one connection, so that its plans can be counted. */
let db: Database;
beforeAll(async () => {
  ledger = await openTestLedger();
  db = openDatabase({ url: ledger.db.pool.options.connectionString!, connections: 1, connectTimeoutMs: 60_000 });
});
afterAll(async () => {
  await db.close();
  await ledger.close();
});

// PostgreSQL plans a prepared statement five times before it may keep a plan.
const plannedAnew = 5;
const executions = 20;

test('the plan of a lookup of a token is kept, and a revoked token is not found', async () => {
  const platform = await createPlatformToken(db, { name: 'test' });
  const access = (await createAccessToken(db, ledger.accountId))!;
  const finders = [createPlatformTokenFinder(db), createAccessTokenFinder(db), createPortalBearerFinder(db)];
  for (let execution = 0; execution < executions; execution++)
    for (const [index, find] of finders.entries()) {
      const found = await find([platform.token, access.token, 'none'][index]!);
      expect(found?.id).toBe([platform.id, access.id, undefined][index]);
    }
  const { rows } = await db.pool.query(
    `SELECT custom_plans::int AS custom, generic_plans::int AS kept FROM pg_prepared_statements
      WHERE name ~ '^ringback_find_(platform_tokens|access_tokens|portal_bearers)$'`,
  );
  expect(rows).toEqual(Array(3).fill({ custom: plannedAnew, kept: executions - plannedAnew }));
  await revokePlatformToken(db, platform.id);
  expect(await finders[0]!(platform.token)).toBeNull();
});
