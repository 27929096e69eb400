import { type EventSample, sampleEvent } from '@ringback/samples';
import { awaitState } from '../await-state.js';
import { pushByHttp, pushByQueue } from '../load.js';
import type { Stage, Scenario } from '../scenario.js';

/** An event that is pushed several times, into the queue and over HTTP, has one delivery. */
export const duplicatePushes: Scenario = {
  name: 'duplicate-pushes',
  requiresNoErrors: true,
  title: 'each event is pushed repeatedly, even after its delivery: its callback is made once',
  backends: ['redis', 'postgres'],
  async run(stage) {
    const api = await stage.startApi();
    await stage.startWorker();
    await stage.startWorker();
    const pushes = [pushByQueue(stage.queues), pushByHttp(api.baseUrl, stage.platformToken)];
    const load = stage.createLoad();
    const count = stage.bySize({ small: 30, normal: 200, full: 500 });
    const events = Array.from({ length: count }, (_, index) => {
      const webhookId = stage.webhooks[index % stage.webhooks.length];
      return sampleEvent(index % 5 === 0 ? 'rcs-in' : 'sms', { webhookId });
    });
    const pushAll = async (batches: EventSample[][]) => {
      for (const batch of batches) await Promise.all([...pushes, ...pushes.slice(0, 1)].map((push) => push(batch)));
      for (const { payload } of events) load.acknowledged.set(String(payload.id), Date.now());
    };
    const singles = events.map((event) => [event]);
    await pushAll(singles);
    stage.recordFault('every event was pushed three times');
    await stage.settle(load);
    await pushAll(singles);
    stage.recordFault('every event was pushed three more times after its delivery');
    await pushAll([events]);
    stage.recordFault('all events were pushed three times as a batch');
    await stage.settle(load);
    await awaitEmptyQueues(stage);
    await stage.settle(load);
    stage.require(stage.recorder.calls.length === count, `${stage.recorder.calls.length} calls of ${count} events`);
  },
};

/** Resolves when the event queues are empty, so that every repeated event was ingested. */
async function awaitEmptyQueues({ queues }: Stage): Promise<void> {
  await awaitState('the event queues are empty', async () => {
    const depths = await queues.countJobsByQueue();
    const counts = [depths['sms-events'], depths['rcs-events']].map(({ waiting = 0, active = 0 }) => waiting + active);
    return counts.every((jobs) => jobs === 0);
  });
}
