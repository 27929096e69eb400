import { type Fault, faults, openReceiver } from '@ringback/receiver';
import { awaitState } from '../await-state.js';
import type { Stage, Story } from '../story.js';
import { usageOf } from '../usage.js';

const timeoutMs = 3_000;
const graceMs = 300;
const maxGrowthMb = 100;

/** Receivers that do whatever a receiver can do wrong hold no call for longer than its time, no memory and no socket. */
export const hostile: Story = {
  name: 'hostile',
  calm: true,
  title: `${faults.length} kinds of hostile receivers: ten healthy ones get their callbacks, and no resources leak`,
  backends: ['redis', 'postgres'],
  env: {
    ...{ WORKER_CONCURRENCY: '200', CALLBACK_TIMEOUT_MS: String(timeoutMs) },
    ...{ SMS_RETRIES: '0', RCS_RETRIES: '0' },
  },
  async play(stage) {
    const receiver = await openReceiver({ answer: ({ path }) => path.slice(1) as Fault });
    try {
      await playBeside(stage, receiver.origin);
    } finally {
      await receiver.close();
    }
  },
};

async function playBeside(stage: Stage, origin: string): Promise<void> {
  const webhooks = await Promise.all(
    faults.map((fault) => stage.addWebhook(`/${fault}`, { uri: `${origin}/${fault}` })),
  );
  const { pid } = await stage.startWorker();
  const load = stage.openLoad();
  // What it takes to do the same work with nobody hostile.
  await load.push(2_000);
  await stage.settle(load);
  const before = usageOf(pid);
  const calls = faults.length * stage.bySize({ small: 4, normal: 40, full: 100 });
  const bad = stage.openLoad();
  await bad.push(calls, { webhooks });
  stage.recordFault(`${calls} calls of hostile receivers`);
  const stop = load.keepPushing(20);
  const count = async () => (await readCalls(stage, webhooks)).made;
  await awaitState('each was called', async () => (await count()) >= calls, { withinMs: 240_000, everyMs: 500 });
  await stop();
  await stage.settle(load);
  const { made, maxMs, repeated } = await readCalls(stage, webhooks);
  stage.require(made === calls && repeated === 0, `${made} calls of ${calls} were made, ${repeated} repeated`);
  stage.requireWithin(timeoutMs + graceMs, maxMs, 'a call');
  // Connections that nobody uses are closed after a while.
  await awaitState('sockets are given back', () => usageOf(pid).sockets <= before.sockets + 5, { withinMs: 90_000 });
  const after = usageOf(pid);
  const growthMb = after.rssMb - before.rssMb;
  stage.require(growthMb <= maxGrowthMb, `the worker has ${Math.round(growthMb)} MB more`);
  const sockets = `${before.sockets} sockets before and ${after.sockets} after`;
  stage.note(`${maxMs} ms at most, ${Math.round(growthMb)} MB more than ${Math.round(before.rssMb)}, ${sockets}`);
}

type Made = { made: number; maxMs: number; repeated: number };

async function readCalls({ postgres, database }: Stage, webhooks: string[]): Promise<Made> {
  const ids = webhooks.map((id) => `'${id}'`).join(', ');
  const [row] = await postgres.query<Made>(
    database,
    `SELECT count(*)::int AS made, coalesce(max(duration_ms), 0) AS "maxMs",
       (count(*) - count(DISTINCT delivery_id))::int AS repeated
     FROM attempts JOIN deliveries ON deliveries.id = delivery_id
     WHERE webhook_id IN (${ids}) AND state <> 'pending'`,
  );
  if (row === undefined) throw new Error('nothing was counted');
  return row;
}
