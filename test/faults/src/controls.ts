import { startPostgresProxy } from './postgres.js';
import { sabotaged } from './sabotage.js';
import { controlUnpaced } from './scenarios/overloaded.js';
import { awaitState, type Scenario, type ScenarioContext, type SettleOptions } from './scenario.js';

const callsPerFault = 100;
const backends = ['redis', 'postgres'] as const;

/** Negative controls: scenarios with a known problem, which the suite must report. */
export const controls: readonly Scenario[] = [
  {
    name: 'control-forgetful',
    title: 'a receiver that does not record every hundredth call',
    backends,
    expectedProblem: /^2 lost$/,
    run: (context) =>
      runWithFalseRecord(context, { mapCalls: (calls) => calls.filter((_, index) => index % callsPerFault !== 0) }),
  },
  {
    name: 'control-repeating',
    title: 'a receiver that records every hundredth call twice',
    backends,
    expectedProblem: /^2 duplicates/,
    run: (context) =>
      runWithFalseRecord(context, {
        mapCalls: (calls) => calls.flatMap((call, index) => (index % callsPerFault === 0 ? [call, call] : [call])),
      }),
  },
  {
    name: 'control-hasty',
    title: 'a receiver that records second attempts half a second early',
    backends,
    expectedProblem: /attempt 2 of .* came after -?\d+ ms instead of/,
    async run(context) {
      context.recorder.behave(({ attempt }) => ({ status: attempt === 1 ? 500 : 200 }));
      await runWithFalseRecord(context, {
        mapCalls: (calls) => calls.map((call) => (call.attempt === 2 ? { ...call, at: call.at - 500 } : call)),
      });
    },
  },
  {
    name: 'control-stalled',
    title: 'workers that do not recover the jobs of a crashed worker',
    backends,
    expectedProblem: /^[1-9]\d* lost$/,
    async run(context) {
      const { proxyUrl: DATABASE_URL, breakAt } = await startPostgresProxy(context);
      const worker = await context.startWorker({ ...sabotaged('no-stalls'), DATABASE_URL });
      const load = context.createLoad();
      const kill = async () => void (await worker.end('SIGKILL'));
      await Promise.all([breakAt({ text: 'store_events', when: 'before', meanwhile: kill }), load.push(100)]);
      context.recordFault('kill -9 during ingest');
      await context.startWorker(sabotaged('no-stalls'));
      await context.settle(load, { withinMs: 30_000, maxDuplicates: 50 });
    },
  },
  {
    name: 'control-losing',
    title: 'a ledger that loses a delivery before its first attempt',
    backends,
    expectedProblem: /has 0 deliveries/,
    async run(context) {
      const load = context.createLoad();
      const worker = await context.startWorker({ WORKER_ROLES: 'ingest' });
      await load.push(100);
      const { postgres, database } = context;
      const statement = 'DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries LIMIT 1) RETURNING id';
      await awaitState('a delivery can be deleted', async () => (await postgres.query(database, statement)).length > 0);
      context.recordFault('a delivery was deleted');
      await worker.end('SIGTERM');
      await context.startWorker();
      await context.settle(load);
    },
  },
  {
    name: 'control-unrecorded',
    title: 'a ledger that loses the record of an attempt',
    backends,
    expectedProblem: /the audit has findings: .*of which 0 are recorded/,
    async run(context) {
      await runWithFalseRecord(context);
      await context.postgres.query(
        context.database,
        'DELETE FROM attempts WHERE delivery_id IN (SELECT id FROM deliveries LIMIT 1)',
      );
    },
  },
  controlUnpaced,
  {
    name: 'control-harmless',
    title: 'a scenario without a fault',
    backends,
    expectedProblem: /no fault occurred/,
    async run(context) {
      await context.startWorker();
      const load = context.createLoad();
      await load.push(20);
      await context.settle(load);
    },
  },
];

/**
 * Delivers all events without a fault. Only the record is false: `mapCalls` changes the calls that the checker gets.
 */
async function runWithFalseRecord(
  context: ScenarioContext,
  options: Pick<SettleOptions, 'mapCalls'> = {},
): Promise<void> {
  await context.startWorker();
  const load = context.createLoad();
  await load.push(2 * callsPerFault);
  context.recordFault('the record is false');
  await context.settle(load, options);
}
