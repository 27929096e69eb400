import { sampleEvent } from '@ringback/samples';
import { awaitState } from '../await-state.js';
import type { Broker, BrokerMessage } from '../brokers/broker.js';
import { openLoad, type Push } from '../load.js';
import type { Stage } from '../story.js';

const publishTo =
  (broker: Broker): Push =>
  async (events) =>
    broker.publish(events.map(toMessage));

/** The event's name is in the body of RCS events, and beside the body of SMS reports. */
function toMessage({ event, ...data }: ReturnType<typeof sampleEvent>): BrokerMessage {
  if (event.startsWith('rcs')) return { body: JSON.stringify({ event, ...data }) };
  return { body: JSON.stringify(data), event };
}

/** A platform that publishes to a broker. */
export const openBrokerLoad = (stage: Stage, broker: Broker) =>
  openLoad({ push: publishTo(broker), webhooks: stage.webhooks, over: stage.over });

export async function countEvents({ postgres, database }: Stage): Promise<number> {
  const [row] = await postgres.query<{ count: number }>(database, 'SELECT count(*)::int AS count FROM events');
  return row?.count ?? 0;
}

export const awaitEvents = (stage: Stage, count: number) =>
  awaitState(`${count} events are stored`, async () => (await countEvents(stage)) >= count, {
    withinMs: 120_000,
    everyMs: 5,
  });

export const requireEmpty = (stage: Stage, broker: Broker) =>
  awaitState('the broker has no message left', async () => (await broker.countLeft()) === 0, { everyMs: 500 }).catch(
    async () => stage.require(false, `the broker has ${await broker.countLeft()} messages left`),
  );
