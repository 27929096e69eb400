import { isDeepStrictEqual } from 'node:util';
import { parseOutcomeCursor } from '@ringback/ledger';
import type { Broker } from '../brokers/broker.js';
import { countLockWaits, endLockWaits, withLockedTable } from '../postgres.js';
import type { Program } from '../program.js';
import { awaitState, type ScenarioContext } from '../scenario.js';

type Row = { cursor: string; type: string; delivery_id: string; attempt_number: number };

/** `ringback outcomes` stores how far it got after each page of so many rows. */
const pageSize = 500;

export async function runOutcomes(context: ScenarioContext, broker: Broker): Promise<void> {
  const count = context.bySize({ test: 2_000, small: 2_000, normal: 5_000, full: 20_000 });
  const kills = 4;
  await context.startWorker();
  let publisher = await context.startOutcomes(broker.outcomeArgs);
  const load = context.createLoad();
  const pushing = load.push(count, { batch: count / 20 });
  for (let kill = 1; kill <= kills; kill++) {
    await awaitAttempts(context, (count * kill) / (kills + 2));
    await (kill % 2 === 0 ? killBeforeStore(context, publisher) : killAfterStore(context, publisher));
    context.recordFault(`the publisher was killed at ${await countAttempts(context)} attempts`);
    publisher = await context.startOutcomes(broker.outcomeArgs);
  }
  await awaitAttempts(context, (count * (kills + 1)) / (kills + 2));
  await broker.kill();
  context.recordFault('the broker was killed');
  await broker.start();
  await pushing;
  await context.settle(load, { withinMs: 120_000 });
  await awaitState('everything is published', () => isAllPublished(context));
  context.require((await publisher.end('SIGTERM')) === 0, 'the publisher did not end with 0');
  await requireRows(context, await broker.readAll(), kills + 1);
}

/** Kills the publisher when the broker has taken a page, and before it has stored that. */
const killBeforeStore = (context: ScenarioContext, publisher: Program) =>
  // A stronger lock has a transaction id, which would hold the rows back that follow.
  withLockedTable(
    context,
    'outcome_readers',
    async () => {
      const isWaiting = async () => (await countLockWaits(context, 'outcome_readers')) > 0;
      await awaitState('the publisher waits to store how far it got', isWaiting, { everyMs: 5 });
      await publisher.end('SIGKILL');
      await endLockWaits(context, 'outcome_readers');
    },
    'SHARE',
  );

/** Kills the publisher when it has just stored how far it got, and goes on with the next page. */
async function killAfterStore(context: ScenarioContext, publisher: Program): Promise<void> {
  const read = async () => BigInt(parseOutcomeCursor(await readCursor(context))?.position ?? 0);
  const stored = await read();
  await awaitState('the publisher goes on', async () => (await read()) > stored, { everyMs: 1 });
  await publisher.end('SIGKILL');
}

/** `breaks`: how often the publisher or its connection broke. Each may repeat a page. */
async function requireRows(context: ScenarioContext, bodies: string[], breaks: number): Promise<void> {
  const rows = bodies.map((body) => JSON.parse(body) as Row);
  const published = new Set(rows.map(nameOf));
  const expected = await readExpected(context);
  const missing = expected.filter((name) => !published.has(name));
  context.require(missing.length === 0, `${missing.length} rows are missing, such as ${missing[0]}`);
  context.require(published.size <= expected.length, `${published.size} rows are published of ${expected.length}`);
  const repeated = rows.length - published.size;
  context.require(repeated > 0, 'no row is repeated, so no kill was between a page and its cursor');
  context.require(repeated <= breaks * pageSize, `${repeated} rows are repeated after ${breaks} breaks`);
  context.require(areInOrder(rows), 'the rows of a delivery are out of order');
  context.note(`${expected.length} rows, ${repeated} of them repeated`);
}

const nameOf = ({ type, delivery_id: id, attempt_number: number }: Row) => `${type} ${id} ${number}`;

/** Whether the rows of each delivery came in their order when they came first. */
function areInOrder(rows: Row[]): boolean {
  const seen = new Set<string>();
  const ended = new Set<string>();
  const attempts = new Map<string, number>();
  for (const row of rows) {
    const { delivery_id: id, type, attempt_number: number } = row;
    if (seen.has(nameOf(row))) continue;
    seen.add(nameOf(row));
    if (ended.has(id) || (type === 'attempt' && number <= (attempts.get(id) ?? 0))) return false;
    if (type === 'delivery') ended.add(id);
    else attempts.set(id, number);
  }
  return true;
}

/** What the tables say there is to publish: a row for each attempt, and one for each delivery that has ended. */
async function readExpected({ postgres, database }: ScenarioContext): Promise<string[]> {
  const rows = await postgres.query<{ name: string }>(
    database,
    `SELECT 'attempt ' || delivery_id || ' ' || number AS name FROM attempts
     UNION ALL SELECT 'delivery ' || d.id || ' ' || max(a.number) FROM deliveries d JOIN attempts a ON a.delivery_id = d.id
       WHERE d.state <> 'pending' GROUP BY d.id`,
  );
  return rows.map(({ name }) => name);
}

async function countAttempts({ postgres, database }: ScenarioContext): Promise<number> {
  const [row] = await postgres.query<{ count: number }>(database, 'SELECT count(*)::int AS count FROM attempts');
  return row?.count ?? 0;
}

const awaitAttempts = (context: ScenarioContext, count: number) =>
  awaitState(`${count} attempts are made`, async () => (await countAttempts(context)) >= count, { everyMs: 5 });

/** How far the publisher got, as it is stored. */
async function readCursor({ postgres, database }: ScenarioContext): Promise<string> {
  const [row] = await postgres.query<{ cursor: string }>(database, 'SELECT cursor FROM outcome_readers');
  return row?.cursor ?? '';
}

/** Whether the stored cursor is that of the last row. */
async function isAllPublished(context: ScenarioContext): Promise<boolean> {
  const cursor = parseOutcomeCursor(await readCursor(context));
  const [last] = await context.postgres.query<{ position: string; id: string; number: number }>(
    context.database,
    `SELECT position::text AS position, delivery_id AS id, number FROM attempts
     ORDER BY attempts.position DESC, delivery_id DESC, number DESC LIMIT 1`,
  );
  const [position, id, number, step] = [last?.position, last?.id, last?.number, 2];
  return isDeepStrictEqual(cursor, { position, deliveryId: id, number, step });
}
