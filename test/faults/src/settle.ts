import { check, type LedgerDelivery } from './check.js';
import type { Load } from './load.js';
import type { PostgresServer } from './postgres.js';
import { awaitState, type Settled, type SettleOptions } from './scenario.js';
import type { Testbed } from './testbed.js';

/**
 * Waits until every acknowledged event is stored and no delivery is pending, at most for `withinMs`. Then checks the
 * events of the loads.
 */
export async function settle(
  testbed: Testbed,
  loads: Load[],
  options: SettleOptions & { from: number },
): Promise<Settled> {
  const acknowledged = loads.flatMap((load) => [...load.acknowledged.keys()]);
  const timeouts: string[] = [];
  await awaitSettled(testbed, acknowledged, options.withinMs ?? 180_000).catch((error: Error) =>
    timeouts.push(error.message),
  );
  const recoveryMs = Math.max(0, Date.now() - options.from);
  const findings = await checkTestbed(testbed, acknowledged, options);
  return { ...findings, problems: [...timeouts, ...findings.problems], recoveryMs };
}

async function awaitSettled(testbed: Testbed, acknowledged: string[], withinMs: number): Promise<void> {
  let lastCounts = '';
  const isSettled = async () => {
    const missing = await countMissing(testbed, acknowledged);
    const { pending } = await readCounts(testbed);
    lastCounts = `${missing} of ${acknowledged.length} events are missing, ${pending} deliveries are pending`;
    return missing === 0 && pending === 0;
  };
  await awaitState('every delivery is final', isSettled, { withinMs, everyMs: 250 }).catch((error: Error) => {
    throw new Error(`${error.message} (${lastCounts})`);
  });
}

async function checkTestbed(testbed: Testbed, acknowledged: string[], options: SettleOptions) {
  const { maxAttempts = { sms: 4, rcs: 3 }, excludedMessageIds = new Set(), mapCalls } = options;
  const calls = mapCalls ? mapCalls(testbed.recorder.calls) : testbed.recorder.calls;
  const scale = Number(testbed.env['RETRY_TIME_SCALE']);
  const waitMs = (channel: 'sms' | 'rcs', attempts: number) =>
    (channel === 'sms' ? 1_800_000 : Math.min(10 ** attempts * 1_000, 100_000_000)) * scale;
  const deliveries = await readDeliveries(testbed);
  return check({ acknowledged, calls, deliveries, maxAttempts, waitMs, excludedMessageIds });
}

type Where = { postgres: PostgresServer; database: string };

const deliveriesSql = `SELECT d.id, e.message_id AS message, d.channel, d.state, d.reason, d.attempt_count AS attempts,
    ARRAY(SELECT a.number FROM attempts a WHERE a.delivery_id = d.id ORDER BY 1) AS recorded,
    ARRAY(SELECT a.number FROM attempts a WHERE a.delivery_id = d.id AND a.outcome <> 'response') AS unanswered
  FROM deliveries d JOIN events e ON e.id = d.event_id`;

/** Reads all deliveries with the numbers of their attempts. */
export function readDeliveries({ postgres, database }: Where): Promise<LedgerDelivery[]> {
  return postgres.query<LedgerDelivery>(database, deliveriesSql);
}

export type Counts = { rejected: number; pending: number; delivered: number; attempts: number };

const countsSql = `SELECT
  (SELECT count(*)::int FROM events WHERE state = 'rejected') AS rejected,
  (SELECT count(*)::int FROM deliveries WHERE state = 'pending') AS pending,
  (SELECT count(*)::int FROM deliveries WHERE state = 'delivered') AS delivered,
  (SELECT count(*)::int FROM attempts) AS attempts`;

/** Counts rejected events, pending and delivered deliveries, and attempts. */
export async function readCounts({ postgres, database }: Where): Promise<Counts> {
  const [row] = await postgres.query<Counts>(database, countsSql);
  if (row === undefined) throw new Error('the count returned no row');
  return row;
}

const missingSql = `SELECT count(*)::int AS missing
  FROM (SELECT unnest($1::text[]) EXCEPT SELECT message_id FROM events) AS m`;

/** Counts the message ids that have no event. */
async function countMissing({ postgres, database }: Where, messages: string[]): Promise<number> {
  const [row] = await postgres.query<{ missing: number }>(database, missingSql, [messages]);
  return row?.missing ?? messages.length;
}
