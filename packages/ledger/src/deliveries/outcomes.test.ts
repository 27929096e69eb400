import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { until } from '@ringback/testing';
import {
  type Database,
  createPartitions,
  deleteAccount,
  dropPartitions,
  endDeliveries,
  recordAttempts,
  resendDelivery,
} from '../index.js';
import { deliveredAttempt, openTestLedger, type TestLedger } from '../ledger.fixture.js';
import type { AttemptRecord } from './attempts.js';
import { continueOutcomePositions, findOldestWriter } from './outcome-positions.js';
import { findReaderCursor, storeReaderCursor } from './outcome-readers.js';
import {
  ExpiredCursorError,
  findNewestOutcomePosition,
  ForeignCursorError,
  formatOutcomeCursor,
  type OutcomeRow,
  type OutcomeCursor,
  outcomeTypes,
  type OutcomeType,
  parseOutcomeCursor,
  readOutcomes,
} from './outcomes.js';

let ledger: TestLedger;
let webhookId: string;
let cursor: OutcomeCursor | null = null;
beforeAll(async () => {
  ledger = await openTestLedger();
  webhookId = await ledger.makeWebhook();
});
afterAll(() => ledger.close());

/** The outcomes after a cursor, page by page. Tests that use the same server may hold them back for a while. */
async function readAll(
  db: Database,
  from: OutcomeCursor | null,
  limit = 1_000,
  types: readonly OutcomeType[] = outcomeTypes,
) {
  await until(async () => ((await readOutcomes(db, { cursor: from, limit: 1 })).heldSince === null ? true : undefined));
  const outcomes: OutcomeRow[] = [];
  for (let at = from; ;) {
    const page = await readOutcomes(db, { cursor: at, limit, types });
    expect(page.outcomes.length).toBeLessThanOrEqual(limit);
    outcomes.push(...page.outcomes);
    at = page.cursor;
    if (page.isEnd) return { outcomes, cursor: at };
  }
}

/** The outcomes since the last call. */
async function readNew(limit = 1_000, types: readonly OutcomeType[] = outcomeTypes): Promise<OutcomeRow[]> {
  const read = await readAll(ledger.db, cursor, limit, types);
  cursor = read.cursor;
  return read.outcomes;
}

const brief = ({ type, deliveryId, attemptNumber, state }: OutcomeRow) => [type, deliveryId, attemptNumber, state];

async function storeDelivery(name: string): Promise<string> {
  const [deliveryId = ''] = await ledger.deliveriesOf(await ledger.store(name, webhookId));
  return deliveryId;
}

const attemptOf = (deliveryId: string, fields: Partial<AttemptRecord> = {}): AttemptRecord => ({
  ...deliveredAttempt,
  deliveryId,
  startedAt: new Date('2026-01-15T09:30:00.123Z'),
  ...fields,
});
const failure = { outcome: 'timeout', statusCode: null, durationMs: 3_000 } as const;

test('each attempt is an outcome, and so is each end of a delivery, by an attempt or without one', async () => {
  const [delivered, failed, skipped] = [
    await storeDelivery('a-1'),
    await storeDelivery('a-2'),
    await storeDelivery('a-3'),
  ];
  await recordAttempts(ledger.db, [attemptOf(delivered)]);
  await recordAttempts(ledger.db, [attemptOf(failed, { ...failure, state: 'pending', waitMs: 0 })]);
  await recordAttempts(ledger.db, [attemptOf(failed, { ...failure, number: 2, state: 'failed' })]);
  await endDeliveries(ledger.db, [{ id: skipped, leasedAt: null, state: 'skipped', reason: 'webhook inactive' }]);
  const outcomes = await readNew();
  expect(outcomes.map(brief)).toEqual([
    ['attempt', delivered, 1, 'delivered'],
    ['delivery', delivered, 1, 'delivered'],
    ['attempt', failed, 1, 'pending'],
    ['attempt', failed, 2, 'failed'],
    ['delivery', failed, 2, 'failed'],
    ['delivery', skipped, null, 'skipped'],
  ]);
  const { accountId } = ledger;
  const names = { accountId, externalId: null, webhookId, event: 'sms:message:status' };
  expect(outcomes[0]).toMatchObject({ ...names, platformEventId: 'a-1', messageId: 'a-1' });
  expect(outcomes[1]).toMatchObject({ outcome: 'response', statusCode: 200, durationMs: 130 });
  expect(outcomes[1]?.at).toEqual(new Date('2026-01-15T09:30:00.253Z'));
  expect(outcomes[5]).toMatchObject({ ...names, messageId: 'a-3', outcome: null, statusCode: null, durationMs: null });
  expect(await readNew()).toEqual([]);
});

test('an attempt that is recorded again, as after a lost reply, is one outcome', async () => {
  const delivery = await storeDelivery('b-1');
  for (let times = 0; times < 3; times++) await recordAttempts(ledger.db, [attemptOf(delivery)]);
  expect((await readNew()).map(brief)).toEqual([
    ['attempt', delivery, 1, 'delivered'],
    ['delivery', delivery, 1, 'delivered'],
  ]);
});

test('a resent delivery ends again, as it then is, although the resend alone failed', async () => {
  const [delivered, skipped] = [await storeDelivery('c-1'), await storeDelivery('c-2')];
  await recordAttempts(ledger.db, [attemptOf(delivered)]);
  await endDeliveries(ledger.db, [{ id: skipped, leasedAt: null, state: 'skipped', reason: 'webhook inactive' }]);
  await readNew();
  for (const id of [delivered, skipped]) await resendDelivery(ledger.db, ledger.accountId, id);
  await recordAttempts(ledger.db, [attemptOf(delivered, { ...failure, number: 2, state: 'failed', kind: 'resend' })]);
  await endDeliveries(ledger.db, [{ id: skipped, leasedAt: null, state: 'skipped', reason: 'webhook inactive' }]);
  expect((await readNew()).map(brief)).toEqual([
    ['attempt', delivered, 2, 'failed'],
    ['delivery', delivered, 2, 'delivered'],
    ['delivery', skipped, null, 'skipped'],
  ]);
});

test('what ends with an account is an outcome of each delivery', async () => {
  const other = await openTestLedger();
  try {
    await other.storeAll([
      ['d-1', await other.makeWebhook()],
      ['d-2', await other.makeWebhook()],
    ]);
    await deleteAccount(other.db, other.accountId, { force: true });
    const { outcomes } = await readAll(other.db, null);
    expect(outcomes.map(({ messageId, state }) => `${messageId} ${state}`).sort()).toEqual([
      'd-1 skipped',
      'd-2 skipped',
    ]);
  } finally {
    await other.close();
  }
});

test('pages of any size hold the same rows, and types leave out the others', async () => {
  const start = cursor;
  const deliveries = [];
  for (let n = 0; n < 7; n++) deliveries.push(await storeDelivery(`e-${n}`));
  // In one transaction, so that a page may end between rows of one position.
  await recordAttempts(
    ledger.db,
    deliveries.map((id, n) => attemptOf(id, n % 2 ? {} : { ...failure, state: 'pending', waitMs: 60_000 })),
  );
  await endDeliveries(ledger.db, [{ id: deliveries[0] ?? '', leasedAt: null, state: 'failed', reason: 'poison' }]);
  const all = await readNew();
  expect(all).toHaveLength(11);
  for (const limit of [1, 2, 3, 10]) {
    cursor = start;
    expect(await readNew(limit)).toEqual(all);
    cursor = start;
    expect(await readNew(limit, ['delivery'])).toEqual(all.filter(({ type }) => type === 'delivery'));
    cursor = start;
    expect(await readNew(limit, ['attempt'])).toEqual(all.filter(({ type }) => type === 'attempt'));
  }
  // The reader of one type has passed the others.
  expect(cursor).toMatchObject({ position: (await findNewestOutcomePosition(ledger.db))?.toString() });
});

test('a row is held back while a transaction that began to write before it is open, and none is missed', async () => {
  const [slow, quick] = [await storeDelivery('f-1'), await storeDelivery('f-2')];
  const client = await ledger.db.pool.connect();
  try {
    await client.query('BEGIN');
    await recordAttempts({ ...ledger.db, pool: client as never }, [attemptOf(slow)]);
    await recordAttempts(ledger.db, [attemptOf(quick, { startedAt: new Date(Date.now() - 60_000) })]);
    const page = await readOutcomes(ledger.db, { cursor, limit: 10 });
    expect(page).toMatchObject({ outcomes: [], cursor, isEnd: true });
    expect(Date.now() - (page.heldSince?.getTime() ?? 0)).toBeGreaterThan(50_000);
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    // Tests that use the same server may have older ones for a while.
    const writer = await until(async () => {
      const oldest = await findOldestWriter(ledger.db);
      return oldest?.pid === rows[0]?.pid ? oldest : undefined;
    });
    expect(writer).toMatchObject({ application: 'ringback' });
    await client.query('COMMIT');
  } finally {
    client.release(true);
  }
  expect((await readNew()).map(({ deliveryId }) => deliveryId)).toEqual([slow, slow, quick, quick]);
});

test('a reading transaction that stays open, such as a backup, holds nothing back', async () => {
  const client = await ledger.db.pool.connect();
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM attempts');
    const delivery = await storeDelivery('g-1');
    await recordAttempts(ledger.db, [attemptOf(delivery)]);
    expect(await readNew()).toHaveLength(2);
    await client.query('COMMIT');
  } finally {
    client.release(true);
  }
});

test.each([
  '',
  'a',
  'A'.repeat(40),
  // The cursor of a list.
  Buffer.from('{"id":"0199f3a0-9e33-7abc-8def-0123456789ab","_pointsToNextItems":true}').toString('base64url'),
])('%j is no cursor', (text) => {
  expect(parseOutcomeCursor(text)).toBeNull();
});

test('a cursor is read as it was written', () => {
  const written = {
    position: '18446744073709551615',
    deliveryId: '0199f3a0-9e33-7abc-8def-0123456789ab',
    number: 7,
    step: 2,
  };
  expect(formatOutcomeCursor(written)).toMatch(/^[\w-]{40}$/);
  expect(parseOutcomeCursor(formatOutcomeCursor(written))).toEqual(written);
});

test('a cursor that the database has not reached is foreign', async () => {
  const ahead = { ...cursor!, position: String(BigInt(cursor!.position) + 1_000_000n) };
  await expect(readOutcomes(ledger.db, { cursor: ahead, limit: 1 })).rejects.toThrow(ForeignCursorError);
});

test('the cursor of a reader is stored once, and not by two processes', async () => {
  const first = { ...cursor!, number: 1 };
  const second = { ...cursor!, number: 2 };
  expect(await findReaderCursor(ledger.db, 'desk')).toBeNull();
  expect(await storeReaderCursor(ledger.db, 'desk', { previous: null, cursor: first })).toBe(true);
  expect(await storeReaderCursor(ledger.db, 'desk', { previous: null, cursor: second })).toBe(false);
  expect(await storeReaderCursor(ledger.db, 'desk', { previous: first, cursor: second })).toBe(true);
  expect(await storeReaderCursor(ledger.db, 'desk', { previous: first, cursor: first })).toBe(false);
  expect(await findReaderCursor(ledger.db, 'desk')).toEqual(second);
});

test('a cursor before rows that retention has removed is refused, one after them is not', async () => {
  const own = await openTestLedger();
  try {
    const stored = [
      await own.store('old-1', await own.makeWebhook()),
      await own.store('old-2', await own.makeWebhook()),
    ];
    const ids = [];
    for (const event of stored) ids.push(...(await own.deliveriesOf(event)));
    for (const id of ids) await recordAttempts(own.db, [attemptOf(id)]);
    const read = (from: OutcomeCursor | null, limit = 10) => readOutcomes(own.db, { cursor: from, limit });
    const late = (await readAll(own.db, null)).cursor;
    const early = (await read(null, 2)).cursor;
    const then = { retentionDays: 30, now: Date.now() + 40 * 86_400_000 };
    await createPartitions(own.db.pool, then);
    expect(await dropPartitions(own.db, then)).toContain('attempts_first');
    await expect(read(early)).rejects.toThrow(ExpiredCursorError);
    expect(await read(late)).toMatchObject({ outcomes: [], cursor: late });
    expect(await read(null)).toMatchObject({ outcomes: [], cursor: null, isEnd: true });
  } finally {
    await own.close();
  }
});

test('in a database that was restored into a cluster with lower transaction ids, readers go on', async () => {
  const own = await openTestLedger();
  try {
    const webhook = await own.makeWebhook();
    const record = async (name: string) => {
      const [id = ''] = await own.deliveriesOf(await own.store(name, webhook));
      await recordAttempts(own.db, [attemptOf(id)]);
    };
    await record('before');
    expect(await continueOutcomePositions(own.db.pool)).toBe(false);
    await own.db.pool.query(`UPDATE attempts SET position = (position::text::bigint + 50000000)::text::xid8`);
    expect((await readOutcomes(own.db, { cursor: null, limit: 10 })).outcomes).toEqual([]);
    for (const isRestored of [true, false]) expect(await continueOutcomePositions(own.db.pool)).toBe(isRestored);
    const { outcomes, cursor: at } = await readAll(own.db, null);
    expect(outcomes.map(({ messageId }) => messageId)).toEqual(['before', 'before']);
    // A position that the reader had seen, and the backup lacks.
    const later = { ...at!, position: String(BigInt(at!.position) + 1_000n) };
    await record('after');
    const next = await readAll(own.db, later);
    expect(next.outcomes.map(({ messageId }) => messageId)).toEqual(['after', 'after']);
  } finally {
    await own.close();
  }
});
