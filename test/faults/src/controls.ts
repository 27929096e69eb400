import { awaitState } from './await-state.js';
import type { Call } from './check.js';
import { sabotaged } from './sabotage.js';
import type { Stage, Story } from './story.js';

const every = 100;
const both = ['redis', 'postgres'] as const;

/** Stories in which something is lost, doubled or not proved: the suite has to say so, or it is worth nothing. */
export const controls: readonly Story[] = [
  {
    name: 'control-forgetful',
    title: 'a receiver that forgets every hundredth record',
    backends: both,
    expects: /^2 lost$/,
    play: (stage) => playOrdinary(stage, { tell: (calls) => calls.filter((_, index) => index % every !== 0) }),
  },
  {
    name: 'control-repeating',
    title: 'a receiver that was called twice for every hundredth',
    backends: both,
    expects: /^2 duplicates/,
    play: (stage) =>
      playOrdinary(stage, {
        tell: (calls) => calls.flatMap((call, index) => (index % every === 0 ? [call, call] : [call])),
      }),
  },
  {
    name: 'control-hasty',
    title: 'a receiver that was called half a second too early',
    backends: both,
    expects: /attempt 2 of .* came -?\d+ ms after the one before, which is to be/,
    async play(stage) {
      stage.recorder.behave(({ attempt }) => ({ status: attempt === 1 ? 500 : 200 }));
      await playOrdinary(stage, {
        tell: (calls) => calls.map((call) => (call.attempt === 2 ? { ...call, at: call.at - 500 } : call)),
      });
    },
  },
  {
    name: 'control-stalled',
    title: 'workers that give up a job whose worker died',
    backends: both,
    expects: /^[1-9]\d* lost$/,
    async play(stage) {
      stage.recorder.behave(() => ({ status: 200, delayMs: 50 }));
      const worker = await stage.startWorker(sabotaged('no-stalls'));
      const load = stage.openLoad();
      await load.push(2_000, { batch: 500 });
      await awaitState('calls come', () => stage.recorder.calls.length > 20, { everyMs: 5 });
      await worker.end('SIGKILL');
      stage.recordFault('kill -9 while events are taken in');
      await stage.startWorker(sabotaged('no-stalls'));
      await stage.settle(load, { withinMs: 30_000, maxDuplicates: 50 });
    },
  },
  {
    name: 'control-losing',
    title: 'a ledger that loses a delivery before it is made',
    backends: both,
    expects: /has 0 deliveries/,
    async play(stage) {
      const load = stage.openLoad();
      const worker = await stage.startWorker({ WORKER_ROLES: 'ingest' });
      await load.push(100);
      const { postgres, database } = stage;
      const statement = 'DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries LIMIT 1) RETURNING id';
      await awaitState('a delivery is lost', async () => (await postgres.query(database, statement)).length > 0);
      stage.recordFault('a delivery was deleted');
      await worker.end('SIGTERM');
      await stage.startWorker();
      await stage.settle(load);
    },
  },
  {
    name: 'control-unrecorded',
    title: 'a ledger that forgets an attempt',
    backends: both,
    expects: /the audit has findings: .*of which 0 are recorded/,
    async play(stage) {
      await playOrdinary(stage, {});
      await stage.postgres.query(
        stage.database,
        'DELETE FROM attempts WHERE delivery_id IN (SELECT id FROM deliveries LIMIT 1)',
      );
    },
  },
  {
    name: 'control-harmless',
    title: 'a story in which no fault lands',
    backends: both,
    expects: /no fault has landed/,
    async play(stage) {
      await stage.startWorker();
      const load = stage.openLoad();
      await load.push(20);
      await stage.settle(load);
    },
  },
];

type Misreport = { tell?: (calls: readonly Call[]) => readonly Call[] };

async function playOrdinary(stage: Stage, misreport: Misreport): Promise<void> {
  await stage.startWorker();
  const load = stage.openLoad();
  await load.push(2 * every);
  stage.recordFault('the checker is misled');
  await stage.settle(load, misreport);
}
