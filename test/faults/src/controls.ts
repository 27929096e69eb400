import { awaitState } from './await-state.js';
import { startPostgresProxy } from './postgres-proxy.js';
import { sabotaged } from './sabotage.js';
import type { SettleOptions, Stage, Scenario } from './scenario.js';

const falsePerCalls = 100;
const backends = ['redis', 'postgres'] as const;

/** Negative controls: scenarios with a known problem, which the suite must report. */
export const controls: readonly Scenario[] = [
  {
    name: 'control-forgetful',
    title: 'a receiver that does not record every hundredth call',
    backends,
    expectedProblem: /^2 lost$/,
    run: (stage) =>
      runWithFalseRecord(stage, { mapCalls: (calls) => calls.filter((_, index) => index % falsePerCalls !== 0) }),
  },
  {
    name: 'control-repeating',
    title: 'a receiver that records every hundredth call twice',
    backends,
    expectedProblem: /^2 duplicates/,
    run: (stage) =>
      runWithFalseRecord(stage, {
        mapCalls: (calls) => calls.flatMap((call, index) => (index % falsePerCalls === 0 ? [call, call] : [call])),
      }),
  },
  {
    name: 'control-hasty',
    title: 'a receiver that records second attempts half a second early',
    backends,
    expectedProblem: /attempt 2 of .* came after -?\d+ ms instead of/,
    async run(stage) {
      stage.recorder.behave(({ attempt }) => ({ status: attempt === 1 ? 500 : 200 }));
      await runWithFalseRecord(stage, {
        mapCalls: (calls) => calls.map((call) => (call.attempt === 2 ? { ...call, at: call.at - 500 } : call)),
      });
    },
  },
  {
    name: 'control-stalled',
    title: 'workers that do not recover the jobs of a crashed worker',
    backends,
    expectedProblem: /^[1-9]\d* lost$/,
    async run(stage) {
      const { proxyUrl: DATABASE_URL, breakAt } = await startPostgresProxy(stage);
      const worker = await stage.startWorker({ ...sabotaged('no-stalls'), DATABASE_URL });
      const load = stage.createLoad();
      const kill = async () => void (await worker.end('SIGKILL'));
      await Promise.all([breakAt({ text: 'store_events', when: 'before', meanwhile: kill }), load.push(100)]);
      stage.recordFault('kill -9 during ingest');
      await stage.startWorker(sabotaged('no-stalls'));
      await stage.settle(load, { withinMs: 30_000, maxDuplicates: 50 });
    },
  },
  {
    name: 'control-losing',
    title: 'a ledger that loses a delivery before its first attempt',
    backends,
    expectedProblem: /has 0 deliveries/,
    async run(stage) {
      const load = stage.createLoad();
      const worker = await stage.startWorker({ WORKER_ROLES: 'ingest' });
      await load.push(100);
      const { postgres, database } = stage;
      const statement = 'DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries LIMIT 1) RETURNING id';
      await awaitState('a delivery can be deleted', async () => (await postgres.query(database, statement)).length > 0);
      stage.recordFault('a delivery was deleted');
      await worker.end('SIGTERM');
      await stage.startWorker();
      await stage.settle(load);
    },
  },
  {
    name: 'control-unrecorded',
    title: 'a ledger that loses the record of an attempt',
    backends,
    expectedProblem: /the audit has findings: .*of which 0 are recorded/,
    async run(stage) {
      await runWithFalseRecord(stage);
      await stage.postgres.query(
        stage.database,
        'DELETE FROM attempts WHERE delivery_id IN (SELECT id FROM deliveries LIMIT 1)',
      );
    },
  },
  {
    name: 'control-harmless',
    title: 'a scenario without a fault',
    backends,
    expectedProblem: /no fault occurred/,
    async run(stage) {
      await stage.startWorker();
      const load = stage.createLoad();
      await load.push(20);
      await stage.settle(load);
    },
  },
];

/** Runs a scenario without a fault. The checker gets the calls as `mapCalls` changes them. */
async function runWithFalseRecord(stage: Stage, options: Pick<SettleOptions, 'mapCalls'> = {}): Promise<void> {
  await stage.startWorker();
  const load = stage.createLoad();
  await load.push(2 * falsePerCalls);
  stage.recordFault('the checker gets false calls');
  await stage.settle(load, options);
}
