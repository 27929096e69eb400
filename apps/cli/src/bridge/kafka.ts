import { once } from 'node:events';
import { isIP } from 'node:net';
import type { Message as KafkaMessage } from '@platformatic/kafka';
import { OperatorError, percentDecode } from '@ringback/process';
import type { BrokerConnection, IngestMessage, Source } from './broker.js';
import type { GroupConsumer, GroupStream } from './kafka-consumer.js';

/** The options of a Kafka source. `url` is described at `parseKafkaUrl`. */
type KafkaOptions = { url: string; topic: string; group: string };

/** A member of the group that is silent for this long, in ms, loses its partitions to the others. */
const sessionTimeout = 10_000;
/** How long Kafka holds a fetch while there is no message, in ms. */
const maxWaitTime = 1_000;
/** Maximum messages that are read and not yet committed: two batches of events. */
const maxUncommitted = 400;
/** The library fetches again while it holds fewer messages. A fetch has up to 10 MB, or one larger message. */
const highWaterMark = 16;
const partitionCheckIntervalMs = 60_000;

/** A topic of Kafka, read by a consumer group. A group that has committed no offset starts with the oldest message. */
export function kafkaSource({ url, topic, group: groupId }: KafkaOptions): Source {
  const servers = parseKafkaUrl(url);
  const createConsumer = async () => {
    // Only a bridge needs the library.
    const { GroupConsumer } = await import('./kafka-consumer.js');
    const options = { clientId: 'ringback-bridge', groupId, sessionTimeout, autocommit: false };
    return new GroupConsumer({ ...servers, ...options });
  };
  return {
    name: `topic ${topic} of Kafka`,
    async connect() {
      const consumer = await createConsumer();
      const failure = watchFailure(consumer);
      try {
        const partitions = await countPartitions(consumer, topic);
        const modes = { mode: 'committed', fallbackMode: 'earliest' } as const;
        const limits = { maxWaitTime, highWaterMark };
        const stream = await consumer.openStream({ topics: [topic], ...modes, ...limits });
        return createConnection({ consumer, stream, failure, topic, partitions });
      } catch (error) {
        await consumer.leave();
        throw error;
      }
    },
    async peek(limit) {
      const consumer = await createConsumer();
      try {
        await countPartitions(consumer, topic);
        const records = await consumer.readNewest(topic, { limit, maxWaitTime });
        return records.map(({ value, headers }) => ({ body: value ?? noBytes, event: eventOf(headers) }));
      } finally {
        await consumer.leave();
      }
    },
  };
}

/** Returns a controller that aborts when the consumer fails. The library reports some failures only by events. */
function watchFailure(consumer: GroupConsumer): AbortController {
  const failure = new AbortController();
  consumer.on('error', (error) => failure.abort(error));
  // After a failed heartbeat the library sends no more of them.
  consumer.on('consumer:heartbeat:error', ({ error }) => failure.abort(error));
  return failure;
}

async function countPartitions(consumer: GroupConsumer, topic: string): Promise<number> {
  const { topics } = await consumer.metadata({ topics: [topic] }).catch((error: unknown) => {
    if (!(error instanceof Error) || !error.message.startsWith('Unknown topic')) throw error;
    throw new OperatorError(`Kafka has no topic ${topic} (--topic)`);
  });
  return topics.get(topic)?.partitionsCount ?? 0;
}

type ConnectionParts = {
  consumer: GroupConsumer;
  stream: GroupStream;
  failure: AbortController;
  topic: string;
  partitions: number;
};

function createConnection({ consumer, stream, failure, topic, partitions }: ConnectionParts): BrokerConnection {
  // The library reads ahead only while there is such a listener.
  stream.on('readable', () => undefined);
  // A stream that is destroyed without an error emits nothing else.
  stream.on('close', () => {
    if (!stream.errored) failure.abort(new Error('the fetching of messages ended'));
  });
  const consume = async (ingest: IngestMessage, ending: AbortSignal) => {
    while (!ending.aborted) {
      if (stream.errored) throw stream.errored;
      const messages = readAvailable(stream);
      if (messages.length === 0) await once(stream, 'readable', { signal: ending });
      await Promise.all(
        messages.map((message) => ingest({ body: message.value ?? noBytes, event: eventOf(message.headers) })),
      );
      await commit(messages);
    }
  };
  /** Fails the connection when the topic has new partitions, because the library does not read them while it runs. */
  const checkPartitions = async () => {
    const count = await countPartitions(consumer, topic);
    if (count !== partitions) failure.abort(new Error(`the topic has ${count} partitions now, and had ${partitions}`));
  };
  return {
    async run(ingest, stopping) {
      const ending = AbortSignal.any([stopping, failure.signal]);
      const timer = setInterval(() => void checkPartitions().catch(() => undefined), partitionCheckIntervalMs);
      try {
        await consume(ingest, ending);
      } catch (error) {
        if (!ending.aborted) await consumer.resetOutOfRangeOffsetsAndThrow(error);
        // `ending` may have aborted meanwhile. An error after the stop or the failure is a consequence of it.
        if (!ending.aborted) throw error;
      } finally {
        clearInterval(timer);
      }
      if (!stopping.aborted) throw failure.signal.reason;
    },
    async close() {
      await consumer.leave();
      stream.destroy();
    },
  };
}

function readAvailable(stream: GroupStream): KafkaMessage[] {
  const messages: KafkaMessage[] = [];
  for (let message: KafkaMessage | null; messages.length < maxUncommitted && (message = stream.read());)
    messages.push(message);
  return messages;
}

/** Commits the offsets of ingested messages. Those of a partition must be in the order of their offsets. */
async function commit(messages: KafkaMessage[]): Promise<void> {
  const last = new Map(messages.map((message) => [message.partition, message]));
  await Promise.all([...last.values()].map((message) => message.commit()));
}

// The body of a message without a value (a tombstone), which is no event.
const noBytes = Buffer.alloc(0);

/** A header `event` with a value names the event, as the job's name does for BullMQ. */
function eventOf(headers: Iterable<[Buffer | null | undefined, Buffer | null | undefined]>): string | undefined {
  for (const [name, value] of headers) if (value && name?.toString() === 'event') return value.toString();
  return undefined;
}

const mechanisms = { plain: 'PLAIN', 'scram-sha-256': 'SCRAM-SHA-256', 'scram-sha-512': 'SCRAM-SHA-512' } as const;

type KafkaServers = {
  bootstrapBrokers: string[];
  /** Present for `kafka+ssl`. */
  tls?: Record<string, never>;
  /** Whether TLS sends the broker's name (SNI). False if a broker has an IP address, which is no such name. */
  tlsServerName?: boolean;
  sasl?: { mechanism: (typeof mechanisms)[keyof typeof mechanisms]; username: string; password: string };
};

const pattern =
  /^kafka(?<tls>\+ssl)?:\/\/(?:(?<credentials>[^@/]*)@)?(?<hosts>[^@/?#]+)\/?(?:\?sasl=(?<sasl>[^&#]*))?$/;

/**
 * Parses `kafka://[user:password@]host[:port],host[:port][?sasl=plain|scram-sha-256|scram-sha-512]`; `kafka+ssl://`
 * uses TLS. Throws an OperatorError, without the URL, if it does not have this form.
 */
export function parseKafkaUrl(url: string): KafkaServers {
  const { tls, credentials, hosts, sasl = 'plain' } = pattern.exec(url)?.groups ?? {};
  const mechanism = Object.entries(mechanisms).find(([name]) => name === sasl)?.[1];
  if (hosts === undefined || mechanism === undefined) throw new OperatorError(invalidUrl);
  const bootstrapBrokers = hosts.split(',').map((host) => (/:\d+$/.test(host) ? host : `${host}:9092`));
  const areNames = bootstrapBrokers.every((broker) => isIP(broker.replace(/:\d+$/, '')) === 0);
  return {
    bootstrapBrokers,
    ...(tls === undefined ? {} : { tls: {}, tlsServerName: areNames }),
    ...(credentials === undefined ? {} : { sasl: { mechanism, ...parseCredentials(credentials) } }),
  };
}

function parseCredentials(text: string): { username: string; password: string } {
  const [, username, password] = /^([^:]+):(.+)$/s.exec(text)?.map(percentDecode) ?? [];
  if (username === undefined || password === undefined) throw new OperatorError(invalidUrl);
  return { username, password };
}

const invalidUrl =
  'the URL of Kafka must look like kafka://user:password@host:9092,host:9092?sasl=scram-sha-512, with kafka+ssl:// for TLS ' +
  `(sasl is one of ${Object.keys(mechanisms).join(', ')})`;
