import { setTimeout as sleep } from 'node:timers/promises';
import { dropPartitions } from '@ringback/ledger';
import { p99OfDelays } from '../load.js';
import { awaitState, type Scenario, type ScenarioContext } from '../scenario.js';
import { readDeliveries } from '../settle.js';

const dayMs = 86_400_000;
const perSecond = 40;

/**
 * The oldest partitions of the ledger are dropped under load. Deliveries are not delayed, and younger rows are kept.
 */
export const retention: Scenario = {
  name: 'retention',
  requiresNoErrors: true,
  title: 'the oldest partitions are dropped under load: only events older than the retention are removed',
  backends: ['redis', 'postgres'],
  async run(context) {
    context.recorder.behave(({ attempt, message }) => ({
      status: attempt === 1 && message.charCodeAt(0) % 10 === 0 ? 500 : 200,
    }));
    const endsAt = Date.now() + context.bySize({ small: 8_000, normal: 12_000, full: 60_000 });
    await endFirstPartition(context, endsAt);
    await context.startWorker();
    await context.startWorker();
    const old = context.createLoad();
    const stopOld = old.keepPushing(perSecond);
    await sleep(endsAt + 1_000 - Date.now());
    await stopOld();
    await context.settle(old);
    const load = context.createLoad();
    const stop = load.keepPushing(perSecond);
    await sleep(2_000);
    let dropTries = 0;
    const drop = async () => {
      dropTries++;
      const now = endsAt + dayMs + 1;
      return (await dropPartitions(context.db, { retentionDays: 1, now }).catch(() => [])).length > 0;
    };
    await awaitState('the oldest partitions are dropped', drop, { withinMs: 60_000 });
    context.recordFault('the oldest partitions were dropped');
    const kept = (await readDeliveries(context)).filter(({ message }) => old.acknowledged.has(message)).length;
    context.require(kept < old.acknowledged.size / 2, `${kept} of ${old.acknowledged.size} old events were kept`);
    await sleep(3_000);
    await stop();
    await context.settle(load, { excludedMessageIds: new Set(old.acknowledged.keys()) });
    const first = context.recorder.calls.filter(({ attempt }) => attempt === 1);
    const p99 = p99OfDelays(first, load);
    context.note(`dropped with try ${dropTries}; p99 of later events ${Math.round(p99)} ms`);
    context.requireWithin(1_000, p99, 'the p99 of later events');
  },
};

/** Moves the end of the first partitions, which are empty, from some days ahead to `endsAt`. */
async function endFirstPartition({ db }: ScenarioContext, endsAt: number): Promise<void> {
  const { rows } = await db.pool.query<{ bound: string; id: string }>(
    `SELECT substring(pg_get_expr(relpartbound, oid) FROM '[0-9a-f-]{36}') AS bound, ringback_uuid_v7_at($1) AS id
      FROM pg_class WHERE relname = 'events_first'`,
    [new Date(endsAt)],
  );
  const { bound = '', id = '' } = rows[0] ?? {};
  for (const table of ['events', 'deliveries', 'attempts', 'delivery_ends'])
    await db.pool.query(`ALTER TABLE ${table} DETACH PARTITION ${table}_first;
      ALTER TABLE ${table} ATTACH PARTITION ${table}_first FOR VALUES FROM (MINVALUE) TO ('${id}');
      CREATE TABLE ${table}_next PARTITION OF ${table} FOR VALUES FROM ('${id}') TO ('${bound}')`);
}
