import type { sampleEvent } from '@ringback/rules';
import type { Broker, BrokerMessage } from '../brokers/broker.js';
import { createLoad } from '../load.js';
import { awaitState, type ScenarioContext } from '../scenario.js';

type Event = ReturnType<typeof sampleEvent>;

/** Puts the event's name in the body of an RCS event, and in a property or header of an SMS report. */
function toMessage({ event, ...data }: Event): BrokerMessage {
  if (event.startsWith('rcs')) return { body: JSON.stringify({ event, ...data }) };
  return { body: JSON.stringify(data), event };
}

/** Creates a load that is published to a broker. */
export const createBrokerLoad = (context: ScenarioContext, broker: Broker, format = toMessage) =>
  createLoad({
    push: (events) => broker.publish(events.map((event) => format(event))),
    webhooks: context.webhooks,
    closeSignal: context.closeSignal,
  });

/** Counts the stored events, rejected ones included. */
export async function countEvents({ postgres, database }: ScenarioContext): Promise<number> {
  const [row] = await postgres.query<{ count: number }>(database, 'SELECT count(*)::int AS count FROM events');
  return row?.count ?? 0;
}

/** Waits until `count` events are stored. */
export const awaitEvents = (context: ScenarioContext, count: number) =>
  awaitState(`${count} events are stored`, async () => (await countEvents(context)) >= count, {
    withinMs: 120_000,
    everyMs: 5,
  });

/** Requires that the bridge acknowledges all messages. */
export const requireEmpty = (context: ScenarioContext, broker: Broker) =>
  awaitState('no message is unacknowledged', async () => (await broker.countLeft()) === 0, { everyMs: 500 }).catch(
    async () => context.require(false, `${await broker.countLeft()} messages are unacknowledged`),
  );
