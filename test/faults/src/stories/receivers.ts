import { setTimeout as sleep } from 'node:timers/promises';
import { awaitState } from '../await-state.js';
import { p99OfDelays, takenInMs } from '../delays.js';
import type { Stage, Story } from '../story.js';
import type { Api } from '../world.js';

const periodMs = 2_000;

/** A receiver that is up and down in turn gets each event, or all the attempts that it may have. */
export const flapping: Story = {
  name: 'flapping',
  calm: true,
  env: { CALLBACK_TIMEOUT_MS: '3000' },
  title: 'a receiver is up for 2 s and down for 2 s: retries deliver all events',
  backends: ['redis', 'postgres'],
  async play(stage) {
    const from = Date.now();
    const isDown = () => Math.floor((Date.now() - from) / periodMs) % 2 === 1;
    let refused = 0;
    stage.recorder.behave(({ path }) => {
      if (!isDown()) return { status: 200, delayMs: 20 };
      if (refused++ === 0) stage.recordFault('the receiver is down');
      return path === '/0' ? 'hang' : { status: 503 };
    });
    await stage.startWorker();
    await stage.startWorker();
    const load = stage.openLoad();
    const stop = load.keepPushing(20);
    await sleep(stage.bySize({ small: 8_000, normal: 20_000, full: 180_000 }));
    await stop();
    await stage.settle(load, { withinMs: 90_000 });
    stage.note(`${refused} calls were refused or hung`);
  },
};

/** A receiver that hangs, with a long backlog, takes nothing from the others. */
export const oneHung: Story = {
  name: 'one-hung',
  calm: true,
  title: 'one receiver hangs with a backlog: ten healthy ones are not delayed',
  backends: ['redis', 'postgres'],
  env: { WORKER_CONCURRENCY: '200', CALLBACK_TIMEOUT_MS: '3000' },
  async play(stage) {
    const hung = [await stage.addWebhook('/hung')];
    const backlog = stage.bySize({ small: 200, normal: 2_000, full: 20_000 });
    await besideHung(stage, { hung, backlog, withinMs: stage.bySize({ small: 250, normal: 250, full: 1_500 }) });
  },
};

/** So do thirty that begin to hang at the same moment, and twice as many, which is more than a worker takes in hand. */
export const thirtyHung: Story = manyHung('thirty-hung', 30);
export const sixtyHung: Story = manyHung('sixty-hung', 60);

function manyHung(name: string, count: number): Story {
  return {
    name,
    calm: true,
    title: `${count} receivers hang at the same time: ten healthy ones are not delayed`,
    backends: ['redis', 'postgres'],
    env: { WORKER_CONCURRENCY: '200', CALLBACK_TIMEOUT_MS: '3000' },
    async play(stage) {
      const hung: string[] = [];
      for (let index = 0; index < count; index++) hung.push(await stage.addWebhook('/hung'));
      const backlog = stage.bySize({ small: 10, normal: 50, full: 100 }) * count;
      await besideHung(stage, { hung, backlog, withinMs: 1_000 });
    },
  };
}

/** What comes over HTTP waits in the ledger and is claimed: that of hundreds of hanging receivers must not fill the workers. */
export const hundredsHung: Story = {
  name: 'hundreds-hung',
  calm: true,
  title: 'hundreds of receivers of one account hang at the same time: ten healthy ones of another are not delayed',
  backends: ['redis', 'postgres'],
  env: { WORKER_CONCURRENCY: '200', CALLBACK_TIMEOUT_MS: '3000' },
  async play(stage) {
    const count = stage.bySize({ small: 200, normal: 600, full: 1_000 });
    const { webhooks: hung } = await stage.addAccount('/hung', count);
    await besideHung(stage, { hung, backlog: count * 2, withinMs: 1_000, api: await stage.startApi() });
  },
};

/** A flood over HTTP, to receivers that are well, is not delivered before everything that came after it. */
export const floodHttp: Story = {
  name: 'flood-http',
  calm: true,
  title: 'thousands of events of one account arrive over HTTP: events of another are not delayed',
  backends: ['redis', 'postgres'],
  env: { WORKER_CONCURRENCY: '200' },
  async play(stage) {
    const { webhooks } = await stage.addAccount('/flood', 10);
    const api = await stage.startApi();
    await stage.startWorker();
    const [flood, load] = [stage.openLoad(api), stage.openLoad(api)];
    const stop = load.keepPushing(20);
    await sleep(2_000);
    const count = stage.bySize({ small: 1_000, normal: 5_000, full: 30_000 });
    await flood.push(count, { webhooks, batch: 1_000 });
    stage.recordFault(`${count} events were pushed at once`);
    await sleep(stage.bySize({ small: 5_000, normal: 15_000, full: 30_000 }));
    await stop();
    await stage.settle([flood, load], { withinMs: 280_000 });
    const trickle = stage.recorder.calls.filter(({ path }) => path !== '/flood');
    const p99 = p99OfDelays(trickle, load);
    const late = trickle.filter(({ message, at }) => at - (load.acknowledged.get(message) ?? at) > 500).length;
    stage.note(`p99 of the trickle ${Math.round(p99)} ms, ${late} of ${load.acknowledged.size} later than 0.5 s`);
    stage.requireWithin(stage.backend === 'redis' ? 1_000 : 1_500, p99, 'the p99 of the trickle');
  },
};

type Hung = { hung: string[]; backlog: number; withinMs: number; api?: Api };

async function besideHung(stage: Stage, { hung, backlog, withinMs, api }: Hung): Promise<void> {
  stage.recorder.behave(({ path }) => (path === '/hung' ? 'hang' : { status: 200 }));
  await stage.startWorker();
  const burden = stage.openLoad(api);
  await burden.push(backlog, { webhooks: hung });
  const hanging = () => stage.recorder.calls.filter(({ path }) => path === '/hung').length;
  await awaitState('calls hang', () => hanging() > 0);
  stage.recordFault(`${hung.length} receivers hang with a backlog of ${backlog}`);
  const load = stage.openLoad(api);
  const startedAt = Date.now();
  const stop = load.keepPushing(20);
  await sleep(stage.bySize({ small: 6_000, normal: 15_000, full: 25_000 }));
  await stop();
  await awaitState('the healthy ones got theirs', () => healthy(stage).length >= load.acknowledged.size, {
    withinMs: 20_000,
  }).catch((error: Error) =>
    stage.require(false, `${error.message}: ${healthy(stage).length} of ${load.acknowledged.size}`),
  );
  const meanwhile = hanging();
  const p99 = p99OfDelays(healthy(stage), load);
  const later = p99OfDelays(healthy(stage), load, startedAt + takenInMs);
  const figures = `${Math.round(p99)} ms, ${Math.round(later)} ms once the backlog was taken in`;
  stage.note(`p99 of the healthy ${figures}, while ${meanwhile} calls hung`);
  stage.requireWithin(withinMs, p99, 'the p99 of the healthy');
  // The backlog arrives once the receivers have recovered, as far as it has attempts left.
  stage.recorder.behave(() => ({ status: 200 }));
  stage.recordFault('the receivers are well again');
  await stage.settle([burden, load], { withinMs: 400_000 });
}

const healthy = ({ recorder }: Stage) => recorder.calls.filter(({ path }) => path !== '/hung');
