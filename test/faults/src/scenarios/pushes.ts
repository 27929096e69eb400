import { type EventSample, sampleEvent } from '@ringback/rules';
import { awaitState } from '../await-state.js';
import { pushByHttp, pushByQueue } from '../load.js';
import type { ScenarioContext, Scenario } from '../scenario.js';

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
