import { type EventSample, sampleEvent } from '@ringback/rules';
import { pushByHttp, pushByQueue } from '../load.js';
import { awaitState, type Scenario, type ScenarioContext } from '../scenario.js';

/**
 * The API acknowledges only events that are stored. Platforms repeat pushes that a killed API process did not
 * acknowledge.
 */
export const apiKilled: Scenario = {
  name: 'api-killed',
  title: 'the API is killed repeatedly under load: no acknowledged event is lost',
  backends: ['redis', 'postgres'],
  run: (context) => endUnderLoad(context, 'SIGKILL'),
};

/** An API process that gets SIGTERM exits with 0. Platforms repeat pushes that it did not acknowledge. */
export const apiStopped: Scenario = {
  name: 'api-stopped',
  title: 'the API is stopped with SIGTERM repeatedly under load: no acknowledged event is lost',
  backends: ['redis', 'postgres'],
  run: (context) => endUnderLoad(context, 'SIGTERM'),
};

async function endUnderLoad(context: ScenarioContext, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  context.recorder.behave(() => ({ status: 200, delayMs: 20 }));
  await context.startWorker();
  let api = await context.startApi();
  // The next process listens on the same port.
  const { port: PORT } = new URL(api.baseUrl);
  const load = context.createLoad(api);
  const stop = load.keepPushing(context.bySize({ small: 40, normal: 80, full: 120 }));
  for (let round = 0; round < context.bySize({ small: 3, normal: 6, full: 15 }); round++) {
    const before = load.acknowledged.size;
    await awaitState('events are acknowledged', () => load.acknowledged.size > before + 30);
    const batches = load.push(200, { batch: 100 });
    await awaitState('a batch is being pushed', () => load.acknowledged.size > before + 40, { everyMs: 5 });
    const ending = await api.end(signal);
    context.require(ending === (signal === 'SIGKILL' ? signal : 0), `the API ended with ${ending} on ${signal}`);
    context.recordFault(`${signal} of the API ${api.pid}`);
    api = await context.startApi({ PORT });
    await batches;
  }
  await stop();
  context.require(load.failures.length > 0, 'no push failed');
  context.note(`${load.failures.length} pushes were repeated`);
  await context.settle(load);
}

/** An event that is pushed several times, into the queue and over HTTP, has one delivery. */
export const duplicatePushes: Scenario = {
  name: 'duplicate-pushes',
  requiresNoErrors: true,
  title: 'each event is pushed repeatedly, even after its delivery: its callback is made once',
  backends: ['redis', 'postgres'],
  async run(context) {
    const api = await context.startApi();
    await context.startWorker();
    await context.startWorker();
    const pushes = [pushByQueue(context.queues), pushByHttp(api.baseUrl, context.platformToken)];
    const load = context.createLoad();
    const count = context.bySize({ small: 30, normal: 200, full: 500 });
    const events = Array.from({ length: count }, (_, index) => {
      const webhookId = context.webhooks[index % context.webhooks.length];
      return sampleEvent(index % 5 === 0 ? 'rcs-in' : 'sms', { webhookId });
    });
    const pushAll = async (batches: EventSample[][]) => {
      for (const batch of batches) await Promise.all([...pushes, ...pushes.slice(0, 1)].map((push) => push(batch)));
      for (const { payload } of events) load.acknowledged.set(String(payload.id), Date.now());
    };
    const singles = events.map((event) => [event]);
    await pushAll(singles);
    context.recordFault('every event was pushed three times');
    await context.settle(load);
    await pushAll(singles);
    context.recordFault('every event was pushed three more times after its delivery');
    await pushAll([events]);
    context.recordFault('all events were pushed three times as a batch');
    await context.settle(load);
    await awaitEmptyQueues(context);
    await context.settle(load);
    context.require(
      context.recorder.calls.length === count,
      `${context.recorder.calls.length} calls of ${count} events`,
    );
  },
};

/** Resolves when the event queues are empty, so that every repeated event was ingested. */
async function awaitEmptyQueues({ queues }: ScenarioContext): Promise<void> {
  await awaitState('the event queues are empty', async () => {
    const depths = await queues.countJobsByQueue();
    const counts = [depths['sms-events'], depths['rcs-events']].map(({ waiting = 0, active = 0 }) => waiting + active);
    return counts.every((jobs) => jobs === 0);
  });
}
