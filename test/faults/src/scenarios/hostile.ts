import { type Fault, faults, startReceiver } from '@ringback/receiver';
import { awaitState } from '../await-state.js';
import type { ScenarioContext, Scenario } from '../scenario.js';
import { usageOf } from '../usage.js';

const timeoutMs = 3_000;
const graceMs = 300;
const maxGrowthMb = 100;

/** Hostile receivers cannot exceed the time limit of a call, and cause no leak of memory or sockets. */
export const hostile: Scenario = {
  name: 'hostile',
  requiresNoErrors: true,
  title: `${faults.length} kinds of hostile receivers: ten healthy receivers get their callbacks, and no resources leak`,
  backends: ['redis', 'postgres'],
  env: {
    ...{ WORKER_CONCURRENCY: '200', CALLBACK_TIMEOUT_MS: String(timeoutMs) },
    ...{ SMS_RETRIES: '0', RCS_RETRIES: '0' },
  },
  async run(context) {
    const receiver = await startReceiver({ answer: ({ path }) => path.slice(1) as Fault });
    try {
      await runBeside(context, receiver.origin);
    } finally {
      await receiver.close();
    }
  },
};

async function runBeside(context: ScenarioContext, origin: string): Promise<void> {
  const webhooks = await Promise.all(
    faults.map((fault) => context.addWebhook(`/${fault}`, { uri: `${origin}/${fault}` })),
  );
  const { pid } = await context.startWorker();
  const load = context.createLoad();
  // A baseline of the same work without hostile receivers.
  await load.push(2_000);
  await context.settle(load);
  const before = usageOf(pid);
  const callCount = faults.length * context.bySize({ small: 4, normal: 40, full: 100 });
  const hostileLoad = context.createLoad();
  await hostileLoad.push(callCount, { webhooks });
  context.recordFault(`${callCount} calls of hostile receivers`);
  const stop = load.keepPushing(20);
  const wereCalled = async () => (await readCalls(context, webhooks)).count >= callCount;
  await awaitState('each hostile receiver was called', wereCalled, { withinMs: 240_000, everyMs: 500 });
  await stop();
  await context.settle(load);
  const { count: made, maxMs, repeated } = await readCalls(context, webhooks);
  context.require(
    made === callCount && repeated === 0,
    `${made} calls of ${callCount} were made, ${repeated} repeated`,
  );
  context.requireWithin(timeoutMs + graceMs, maxMs, 'a call');
  // Idle connections are closed after a while.
  await awaitState('sockets are closed', () => usageOf(pid).sockets <= before.sockets + 5, { withinMs: 90_000 });
  const after = usageOf(pid);
  const growthMb = after.rssMb - before.rssMb;
  context.require(growthMb <= maxGrowthMb, `the memory of the worker grew by ${Math.round(growthMb)} MB`);
  const sockets = `${before.sockets} sockets before and ${after.sockets} after`;
  context.note(
    `slowest call ${maxMs} ms, memory ${Math.round(before.rssMb)} MB + ${Math.round(growthMb)} MB, ${sockets}`,
  );
}

type CallCounts = { count: number; maxMs: number; repeated: number };

async function readCalls({ postgres, database }: ScenarioContext, webhooks: string[]): Promise<CallCounts> {
  const ids = webhooks.map((id) => `'${id}'`).join(', ');
  const [row] = await postgres.query<CallCounts>(
    database,
    `SELECT count(*)::int AS count, coalesce(max(duration_ms), 0) AS "maxMs",
       (count(*) - count(DISTINCT delivery_id))::int AS repeated
     FROM attempts JOIN deliveries ON deliveries.id = delivery_id
     WHERE webhook_id IN (${ids}) AND state <> 'pending'`,
  );
  if (row === undefined) throw new Error('the count returned no row');
  return row;
}
