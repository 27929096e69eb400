import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { subscribe } from '@ringback/ledger';
import { openQueueEngine } from '@ringback/queue';
import { sampleEvent } from '@ringback/rules';
import { p99OfDelays } from '../load.js';
import { usageOf } from '../program.js';
import { awaitState, type Scenario, type ScenarioContext } from '../scenario.js';
import { readDeliveries } from '../settle.js';
import { naughtyData, naughtyOptions, naughtyTexts } from './naughty.data.js';

const event = 'sms:message:status';
const maxGrowthMb = 500;
// With its envelope, an event is just below the size limit of the API.
const textBytes = 4_000_000;

/** Events of the maximum size for hundreds of receivers that hang do not exhaust the memory of a worker. */
export const largePayloads: Scenario = {
  name: 'large-payloads',
  requiresNoErrors: true,
  title:
    'events of 4 MB for hundreds of unresponsive receivers: ten healthy receivers are not delayed, and memory is bounded',
  backends: ['redis', 'postgres'],
  env: { WORKER_CONCURRENCY: '200', CALLBACK_TIMEOUT_MS: '3000' },
  async run(context) {
    const count = context.bySize({ small: 60, normal: 200, full: 600 });
    const { accountId, webhooks } = await context.addAccount('/large', count);
    for (const webhookId of webhooks) await subscribe(context.db, accountId, { event, identity: 'all', webhookId });
    let hangs = true;
    context.recorder.behave(({ path }) => (path === '/large' && hangs ? 'hang' : { status: 200 }));
    const [api, worker] = [await context.startApi(), await context.startWorker()];
    const [byHttp, byQueue] = [context.createLoad(api), context.createLoad()];
    await byQueue.push(200);
    await context.settle(byQueue);
    const beforeMb = usageOf(worker.pid).rssMb;
    let maxMb = 0;
    const sampling = setInterval(() => (maxMb = Math.max(maxMb, usageOf(worker.pid).rssMb)), 50);
    try {
      const large = await pushLarge(context, { accountId, baseUrl: api.baseUrl });
      context.recordFault(`${large.size} events of 4 MB for ${count} receivers that hang`);
      const stop = byHttp.keepPushing(20);
      await sleep(context.bySize({ small: 6_000, normal: 12_000, full: 30_000 }));
      await stop();
      hangs = false;
      context.recordFault('the receivers respond again');
      await context.settle([byHttp, byQueue], { excludedMessageIds: large, withinMs: 280_000 });
      await requireLarge(context, { large, expected: large.size * count });
    } finally {
      clearInterval(sampling);
    }
    const growthMb = Math.round(maxMb - beforeMb);
    const p99 = p99OfDelays(context.recorder.calls, byHttp);
    context.note(`the worker grew by ${growthMb} MB; p99 of the healthy receivers ${Math.round(p99)} ms`);
    context.require(growthMb <= maxGrowthMb, `the memory of the worker grew by ${growthMb} MB`);
    context.requireWithin(1_500, p99, 'the p99 of the healthy receivers');
  },
};

/** Pushes two events of 4 MB over HTTP and two into the queue. Resolves with their message ids. */
async function pushLarge(context: ScenarioContext, { accountId, baseUrl }: { accountId: string; baseUrl: string }) {
  const ids = Array.from({ length: 4 }, () => `${randomUUID()}:1`);
  const headers = { authorization: `Bearer ${context.platformToken}`, 'content-type': 'application/json' };
  for (const [index, id] of ids.entries()) {
    const data = { account_id: accountId, payload: { id, text: 'x'.repeat(textBytes) } };
    if (index < 2) {
      await context.queues.pushEvents('sms', [{ name: event, data }]);
      continue;
    }
    const body = JSON.stringify({ event, ...data });
    const { status } = await fetch(`${baseUrl}/events`, { method: 'POST', headers, body });
    context.require(status === 202, `the API responded to a large event with ${status}`);
  }
  return new Set(ids);
}

/** Requires that each delivery of a large event succeeded or had all its attempts, and that no attempt was repeated. */
async function requireLarge(context: ScenarioContext, { large, expected }: { large: Set<string>; expected: number }) {
  let rows: Awaited<ReturnType<typeof readDeliveries>> = [];
  const areFinal = async () => {
    rows = (await readDeliveries(context)).filter(({ message }) => large.has(message));
    return rows.length === expected && rows.every(({ state }) => state !== 'pending');
  };
  await awaitState('the deliveries of large events are final', areFinal, { withinMs: 240_000, everyMs: 500 });
  const calls = context.recorder.calls.filter(({ message }) => large.has(message));
  const distinct = new Set(calls.map(({ delivery, attempt }) => `${delivery} ${attempt}`));
  context.require(
    distinct.size === calls.length,
    `${calls.length - distinct.size} calls of large events were repeated`,
  );
  const succeeded = new Set(calls.filter(({ status }) => status === 200).map(({ delivery }) => delivery));
  const delivered = rows.filter(({ state }) => state === 'delivered');
  const unfounded = delivered.filter(({ id }) => !succeeded.has(id)).length;
  context.require(
    unfounded === 0,
    `${unfounded} deliveries of large events are delivered, and no call of them succeeded`,
  );
  const early = rows.filter(({ state, attempts }) => state === 'failed' && attempts < 4).length;
  context.require(early === 0, `${early} deliveries of large events failed before their last attempt`);
  context.note(`${delivered.length} of ${rows.length} large callbacks were delivered`);
}

type Job = { name: string; data: unknown; options?: object };

const tenMegabytes = 10 * 1024 * 1024;

/** The event of every job is rejected or delivered. No worker crashes, and no job stays in the queue. */
export const naughty: Scenario = {
  name: 'naughty-jobs',
  title:
    'jobs with hostile texts, deep nesting, 10 MB, unknown names or invalid options: each is delivered or rejected',
  backends: ['redis', 'postgres'],
  async run(context) {
    const worker = await context.startWorker();
    const { accepted, refused } = await pushAll(context, createJobs(context));
    context.recordFault(`${accepted} invalid jobs are in the queue`);
    context.note(`the queue accepted ${accepted} invalid jobs and refused ${refused}`);
    await awaitState('every invalid job is processed', () => areProcessed(context, accepted), {
      withinMs: 120_000,
      everyMs: 250,
    });
    // The queues still work.
    const load = context.createLoad();
    await load.push(100);
    await context.settle(load);
    context.require(worker.ending() === undefined, `the worker ended with ${worker.ending()}`);
    await requireEmptyQueues(context);
  },
};

function createJobs({ webhooks, account }: ScenarioContext): Job[] {
  const [webhookId = ''] = webhooks;
  const name = 'sms:message:status';
  const report = (payload: object, more: object = {}) => ({
    name,
    data: { webhook_id: webhookId, ...more, payload: { ...sampleEvent('sms', {}).payload, ...payload } },
  });
  return [
    ...naughtyTexts.map((text) => report({ id: text })),
    ...naughtyTexts.map((text) => report({}, { event_id: text })),
    ...naughtyTexts.map((text) => report({}, { identity: text })),
    ...naughtyTexts.map((text) => report({ mobile: text, status: text, [text]: text })),
    ...naughtyTexts.map((text) => ({ ...report({}), name: text })),
    ...naughtyData.map((data) => ({ name, data })),
    ...naughtyOptions.map((options) => ({ ...report({}), options })),
    report({ blob: 'x'.repeat(tenMegabytes) }),
    { name, data: { account_id: account.id, payload: { id: 'for nobody' } } },
  ];
}

/** Adds the jobs like a client in another language. The queue refuses jobs that it cannot store. */
async function pushAll(context: ScenarioContext, jobs: Job[]): Promise<{ accepted: number; refused: number }> {
  const { redis, env } = context;
  const databaseUrl = context.postgres.url(context.database);
  const backend = openQueueEngine({ redisUrl: redis?.url, databaseUrl, prefix: env.QUEUE_PREFIX ?? '' });
  const queue = backend.openQueue('sms-events', () => undefined);
  let [accepted, refused] = [0, 0];
  for (const { name, data, options } of jobs) {
    // The data may be of any type, which BullMQ's types do not allow.
    const pushed: Promise<unknown> = Reflect.apply(queue.add, queue, [name, data, options]);
    await pushed.then(
      () => accepted++,
      () => refused++,
    );
  }
  await queue.close();
  await backend.close();
  return { accepted, refused };
}

async function areProcessed({ postgres, database }: ScenarioContext, accepted: number): Promise<boolean> {
  const statement = `SELECT (SELECT count(*)::int FROM events) AS events,
    (SELECT count(*)::int FROM deliveries WHERE state = 'pending') AS pending`;
  const [row] = await postgres.query<{ events: number; pending: number }>(database, statement);
  return row !== undefined && row.events >= accepted && row.pending === 0;
}

async function requireEmptyQueues({ queues, require }: ScenarioContext): Promise<void> {
  const left = Object.entries(await queues.countJobsByQueue()).map(([name, counts]) => {
    return [name, Object.values(counts).reduce((sum, count) => sum + count, 0)] as const;
  });
  const notEmpty = left.filter(([, count]) => count > 0);
  require(notEmpty.length === 0, `jobs are left: ${notEmpty.map(([name, count]) => `${name} ${count}`).join(', ')}`);
}
