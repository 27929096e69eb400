import { openBackend } from '@ringback/queue';
import { sampleEvent } from '@ringback/samples';
import { awaitState } from '../await-state.js';
import type { Stage, Story } from '../story.js';
import { naughtyData, naughtyTexts, oddOptions } from './naughty.data.js';

type Job = { name: string; data: unknown; options?: object };

const tenMegabytes = 10 * 1024 * 1024;

/** Whatever is in an ingress queue is rejected or delivered; nothing crashes and no job stays. */
export const naughty: Story = {
  name: 'naughty-jobs',
  title: 'jobs with hostile texts, depth, 10 MB, unknown names and options: each is delivered or rejected',
  backends: ['redis', 'postgres'],
  async play(stage) {
    const worker = await stage.startWorker();
    const { taken, refused } = await pushAll(stage, makeJobs(stage));
    stage.recordFault(`${taken} odd jobs are in the queue`);
    stage.note(`${taken} odd jobs taken by the engine, ${refused} refused by it`);
    await awaitState('every odd job is over', () => isOver(stage, taken), { withinMs: 120_000, everyMs: 250 });
    // And the queues still work.
    const load = stage.openLoad();
    await load.push(100);
    await stage.settle(load);
    stage.require(worker.ending() === undefined, `the worker ended with ${worker.ending()}`);
    await requireEmptyQueues(stage);
  },
};

function makeJobs({ webhooks, account }: Stage): Job[] {
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
    ...oddOptions.map((options) => ({ ...report({}), options })),
    report({ blob: 'x'.repeat(tenMegabytes) }),
    { name, data: { account_id: account.id, payload: { id: 'for nobody' } } },
  ];
}

/** Adds the jobs as a foreign client would; an engine may refuse what it cannot hold. */
async function pushAll(stage: Stage, jobs: Job[]): Promise<{ taken: number; refused: number }> {
  const { redis, env } = stage;
  const databaseUrl = stage.postgres.url(stage.database);
  const backend = openBackend({ redisUrl: redis?.url, databaseUrl, prefix: env.QUEUE_PREFIX ?? '' });
  const queue = backend.openQueue('sms-events', () => undefined);
  let [taken, refused] = [0, 0];
  for (const { name, data, options } of jobs) {
    // Not everything that is pushed is an object, whatever the type says.
    const pushed: Promise<unknown> = Reflect.apply(queue.add, queue, [name, data, options]);
    await pushed.then(
      () => taken++,
      () => refused++,
    );
  }
  await queue.close();
  await backend.close();
  return { taken, refused };
}

async function isOver({ postgres, database }: Stage, taken: number): Promise<boolean> {
  const statement = `SELECT (SELECT count(*)::int FROM events) AS events,
    (SELECT count(*)::int FROM deliveries WHERE state = 'pending') AS pending`;
  const [row] = await postgres.query<{ events: number; pending: number }>(database, statement);
  return row !== undefined && row.events >= taken && row.pending === 0;
}

async function requireEmptyQueues({ queues, require }: Stage): Promise<void> {
  const left = Object.entries(await queues.depths()).map(([name, counts]) => {
    const { paused: _none, ...live } = counts;
    return [name, Object.values(live).reduce((sum, count) => sum + count, 0)] as const;
  });
  const full = left.filter(([, count]) => count > 0);
  require(full.length === 0, `jobs stay: ${full.map(([name, count]) => `${name} ${count}`).join(', ')}`);
}
