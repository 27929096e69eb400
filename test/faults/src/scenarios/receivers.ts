import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, faults, startReceiver } from '@ringback/receiver';
import { backlogIngestMs, p99OfDelays } from '../load.js';
import { usageOf } from '../program.js';
import { awaitState, type Scenario, type ScenarioContext } from '../scenario.js';
import type { Api } from '../testbed.js';

const periodMs = 2_000;

/** A receiver that is up and down in turn gets each event, or all attempts of it. */
export const flapping: Scenario = {
  name: 'flapping',
  requiresNoErrors: true,
  env: { CALLBACK_TIMEOUT_MS: '3000' },
  title: 'a receiver is up for 2 s and down for 2 s: retries deliver all events',
  backends: ['redis', 'postgres'],
  async run(context) {
    const startedAt = Date.now();
    const isDown = () => Math.floor((Date.now() - startedAt) / periodMs) % 2 === 1;
    let refused = 0;
    context.recorder.behave(({ path }) => {
      if (!isDown()) return { status: 200, delayMs: 20 };
      if (refused++ === 0) context.recordFault('the receiver is down');
      return path === '/0' ? 'hang' : { status: 503 };
    });
    await context.startWorker();
    await context.startWorker();
    const load = context.createLoad();
    const stop = load.keepPushing(20);
    await sleep(context.bySize({ small: 8_000, normal: 20_000, full: 180_000 }));
    await stop();
    await context.settle(load, { withinMs: 90_000 });
    context.note(`${refused} calls were refused or hung`);
  },
};

/** A receiver that hangs with a long backlog does not delay other receivers. */
export const oneHung: Scenario = {
  name: 'one-hung',
  requiresNoErrors: true,
  title: 'one receiver hangs with a backlog: ten healthy receivers are not delayed',
  backends: ['redis', 'postgres'],
  env: { WORKER_CONCURRENCY: '200', CALLBACK_TIMEOUT_MS: '3000' },
  async run(context) {
    const hung = [await context.addWebhook('/hung')];
    const backlog = context.bySize({ small: 200, normal: 2_000, full: 20_000 });
    await besideHung(context, { hung, backlog, withinMs: context.bySize({ small: 250, normal: 250, full: 1_500 }) });
  },
};

/**
 * Thirty receivers that hang at the same time do not delay others. Nor do sixty, whose first four attempts each are
 * more than a worker makes at once.
 */
export const thirtyHung: Scenario = manyHung('thirty-hung', 30);
export const sixtyHung: Scenario = manyHung('sixty-hung', 60);

function manyHung(name: string, count: number): Scenario {
  return {
    name,
    requiresNoErrors: true,
    title: `${count} receivers hang at the same time: ten healthy receivers are not delayed`,
    backends: ['redis', 'postgres'],
    env: { WORKER_CONCURRENCY: '200', CALLBACK_TIMEOUT_MS: '3000' },
    async run(context) {
      const hung: string[] = [];
      for (let index = 0; index < count; index++) hung.push(await context.addWebhook('/hung'));
      const backlog = context.bySize({ small: 10, normal: 50, full: 100 }) * count;
      await besideHung(context, { hung, backlog, withinMs: 1_000 });
    },
  };
}

/**
 * Events over HTTP are claimed from the ledger. Those for hundreds of receivers that hang must not occupy the workers.
 */
export const hundredsHung: Scenario = {
  name: 'hundreds-hung',
  requiresNoErrors: true,
  title:
    'hundreds of receivers of one account hang at the same time: ten healthy receivers of another account are not delayed',
  backends: ['redis', 'postgres'],
  env: { WORKER_CONCURRENCY: '200', CALLBACK_TIMEOUT_MS: '3000' },
  async run(context) {
    const count = context.bySize({ small: 200, normal: 600, full: 1_000 });
    const { webhooks: hung } = await context.addAccount('/hung', count);
    await besideHung(context, { hung, backlog: count * 2, withinMs: 1_000, api: await context.startApi() });
  },
};

/** A burst of events over HTTP for healthy receivers does not delay the events that are pushed after it. */
export const floodHttp: Scenario = {
  name: 'flood-http',
  requiresNoErrors: true,
  title: 'thousands of events of one account arrive over HTTP: events of another account are not delayed',
  backends: ['redis', 'postgres'],
  env: { WORKER_CONCURRENCY: '200' },
  async run(context) {
    const { webhooks } = await context.addAccount('/flood', 10);
    const api = await context.startApi();
    await context.startWorker();
    const [flood, load] = [context.createLoad(api), context.createLoad(api)];
    const stop = load.keepPushing(20);
    await sleep(2_000);
    const count = context.bySize({ small: 1_000, normal: 5_000, full: 30_000 });
    await flood.push(count, { webhooks, batch: 1_000 });
    context.recordFault(`${count} events were pushed in a burst`);
    await sleep(context.bySize({ small: 5_000, normal: 15_000, full: 30_000 }));
    await stop();
    await context.settle([flood, load], { withinMs: 280_000 });
    const others = context.recorder.calls.filter(({ path }) => path !== '/flood');
    const p99 = p99OfDelays(others, load);
    const late = others.filter(({ message, at }) => at - (load.acknowledged.get(message) ?? at) > 500).length;
    context.note(
      `p99 of the other account ${Math.round(p99)} ms, ${late} of ${load.acknowledged.size} later than 0.5 s`,
    );
    context.requireWithin(context.backend === 'redis' ? 1_000 : 1_500, p99, 'the p99 of the other account');
  },
};

type Hung = { hung: string[]; backlog: number; withinMs: number; api?: Api };

async function besideHung(context: ScenarioContext, { hung, backlog, withinMs, api }: Hung): Promise<void> {
  context.recorder.behave(({ path }) => (path === '/hung' ? 'hang' : { status: 200 }));
  await context.startWorker();
  const hungLoad = context.createLoad(api);
  await hungLoad.push(backlog, { webhooks: hung });
  const hanging = () => context.recorder.calls.filter(({ path }) => path === '/hung').length;
  await awaitState('calls hang', () => hanging() > 0);
  context.recordFault(`${hung.length} receivers hang with a backlog of ${backlog}`);
  const load = context.createLoad(api);
  const startedAt = Date.now();
  const stop = load.keepPushing(20);
  await sleep(context.bySize({ small: 6_000, normal: 15_000, full: 25_000 }));
  await stop();
  await awaitState(
    'all callbacks of healthy receivers arrive',
    () => healthy(context).length >= load.acknowledged.size,
    {
      withinMs: 20_000,
    },
  ).catch((error: Error) =>
    context.require(false, `${error.message}: ${healthy(context).length} of ${load.acknowledged.size}`),
  );
  const hungCalls = hanging();
  const p99 = p99OfDelays(healthy(context), load);
  const later = p99OfDelays(healthy(context), load, startedAt + backlogIngestMs);
  const figures = `${Math.round(p99)} ms, ${Math.round(later)} ms after the ingest of the backlog`;
  context.note(`p99 of the healthy receivers ${figures}, while ${hungCalls} calls hung`);
  context.requireWithin(withinMs, p99, 'the p99 of the healthy receivers');
  // Deliveries of the backlog that have attempts left succeed now.
  context.recorder.behave(() => ({ status: 200 }));
  context.recordFault('the receivers respond again');
  await context.settle([hungLoad, load], { withinMs: 400_000 });
}

const healthy = ({ recorder }: ScenarioContext) => recorder.calls.filter(({ path }) => path !== '/hung');

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
    WORKER_CONCURRENCY: '200',
    CALLBACK_TIMEOUT_MS: String(timeoutMs),
    SMS_RETRIES: '0',
    RCS_RETRIES: '0',
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
