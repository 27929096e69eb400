import { openQueueEngine } from '@ringback/queue';
import { sampleEvent } from '@ringback/rules';
import { awaitState } from '../await-state.js';
import type { ScenarioContext, Scenario } from '../scenario.js';
import { naughtyData, naughtyTexts, naughtyOptions } from './naughty.data.js';

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
