import { sampleEvent } from '@ringback/rules';
import { awaitState } from '../await-state.js';
import type { Broker, BrokerMessage } from '../brokers/broker.js';
import { createLoad, type Push } from '../load.js';
import type { ScenarioContext } from '../scenario.js';

const publishTo =
  (broker: Broker): Push =>
  async (events) =>
    broker.publish(events.map(toMessage));

/** Puts the event's name in the body of an RCS event, and in a property or header of an SMS report. */
function toMessage({ event, ...data }: ReturnType<typeof sampleEvent>): BrokerMessage {
  if (event.startsWith('rcs')) return { body: JSON.stringify({ event, ...data }) };
  return { body: JSON.stringify(data), event };
}

/** Creates a load that is published to a broker. */
export const createBrokerLoad = (context: ScenarioContext, broker: Broker) =>
  createLoad({ push: publishTo(broker), webhooks: context.webhooks, closeSignal: context.closeSignal });

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
