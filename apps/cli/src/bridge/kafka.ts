import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer, Message as KafkaMessage, MessagesStream } from '@platformatic/kafka';
import { OperatorError } from '@ringback/runtime';
import type { TakeMessage } from './intake.js';
import { skipDeletedMessages } from './kafka-offsets.js';
import { parseKafkaUrl } from './kafka-url.js';
import { maxUnacknowledged, type Session, type Source } from './source.js';

/** The options of a Kafka source. `url` is described at `parseKafkaUrl`. */
export type KafkaOptions = { url: string; topic: string; group: string };

/** A member that is silent for this long loses its partitions to another one. */
const sessionTimeout = 10_000;
/** How long Kafka holds a fetch while there is no message, in ms. */
const maxWaitTime = 1_000;
const closeRetryMs = 1_000;

/** A topic of Kafka, read by a consumer group. A group that has committed no offset starts with the oldest message. */
export function kafkaSource({ url, topic, group: groupId }: KafkaOptions): Source {
  const servers = parseKafkaUrl(url);
  return {
    name: `topic ${topic} of Kafka`,
    async connect() {
      // A short command must not load the library.
      const { Consumer } = await import('@platformatic/kafka');
      const options = { clientId: 'ringback-bridge', groupId, sessionTimeout, autocommit: false };
      const consumer = new Consumer({ ...servers, ...options });
      const failure = watch(consumer);
      try {
        await requireTopic(consumer, topic);
        const modes = { mode: 'committed', fallbackMode: 'earliest' } as const;
        const stream = await consumer.consume({
          topics: [topic],
          ...modes,
          maxWaitTime,
          highWaterMark: maxUnacknowledged,
        });
        return createSession(consumer, stream, failure);
      } catch (error) {
        await leave(consumer).catch(() => undefined);
        throw error;
      }
    },
  };
}

/** Aborts when the consumer cannot go on. The library reports some failures by events only. */
function watch(consumer: Consumer): AbortSignal {
  const failure = new AbortController();
  consumer.on('error', (error) => failure.abort(error));
  // After a failed heartbeat the library sends no more of them.
  consumer.on('consumer:heartbeat:error', ({ error }) => failure.abort(error));
  return failure.signal;
}

async function requireTopic(consumer: Consumer, topic: string): Promise<void> {
  await consumer.metadata({ topics: [topic] }).catch((error: unknown) => {
    if (!(error instanceof Error) || !error.message.startsWith('Unknown topic')) throw error;
    throw new OperatorError(`Kafka has no topic ${topic} (--topic)`);
  });
}

function createSession(
  consumer: Consumer,
  stream: MessagesStream<Buffer, Buffer, Buffer, Buffer>,
  failure: AbortSignal,
) {
  // The library reads ahead only while there is such a listener.
  stream.on('readable', () => undefined);
  stream.on('error', () => undefined);
  const readAvailable = () => {
    const messages: KafkaMessage[] = [];
    for (let message: KafkaMessage | null; messages.length < maxUnacknowledged && (message = stream.read());)
      messages.push(message);
    return messages;
  };
  const takeAll = async (take: TakeMessage, ending: AbortSignal) => {
    while (!ending.aborted) {
      if (stream.destroyed) throw stream.errored ?? new Error('the fetching of messages ended');
      const messages = readAvailable();
      if (messages.length === 0) await once(stream, 'readable', { signal: ending });
      await Promise.all(messages.map((message) => take({ body: message.value ?? noBytes, event: eventOf(message) })));
      await commit(messages);
    }
  };
  return {
    async run(take, stopping) {
      const ending = AbortSignal.any([stopping, failure]);
      try {
        await takeAll(take, ending);
      } catch (error) {
        if (!ending.aborted) await skipDeletedMessages(consumer, error);
        if (!ending.aborted) throw error;
      }
      if (!stopping.aborted) throw failure.reason;
    },
    close: (stopping) => close(consumer, stopping),
  } satisfies Session;
}

/** Commits the offsets of messages that were all taken. The messages of a partition are in the order of their offsets. */
async function commit(messages: KafkaMessage[]): Promise<void> {
  const last = new Map(messages.map((message) => [message.partition, message]));
  await Promise.all([...last.values()].map((message) => message.commit()));
}

/** Closes the consumer and its stream, and leaves the group. */
const leave = (consumer: Consumer) =>
  new Promise<void>((resolve, reject) => consumer.close(true, (error) => (error ? reject(error) : resolve())));

/** A consumer that is not closed would keep its partitions, so closing is repeated while Kafka is unavailable. */
async function close(consumer: Consumer, stopping: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await leave(consumer);
    } catch {
      if (stopping.aborted) return;
      await sleep(closeRetryMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
}

// A message without a value, with which producers delete a key.
const noBytes = Buffer.alloc(0);

/** A header `event` names the event, as the job's name does for BullMQ. */
function eventOf({ headers }: KafkaMessage): string | undefined {
  for (const [name, value] of headers) if (name.toString() === 'event') return value.toString();
  return undefined;
}
