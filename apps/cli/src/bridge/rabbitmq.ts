import { once } from 'node:events';
import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import { OperatorError, percentDecode, withTimeout } from '@ringback/process';
import { aborted, type BrokerConnection, closeWithinMs, type IngestMessage, type Source } from './broker.js';
import type { Message } from './message.js';

/** The options of a RabbitMQ source. `url` is `amqp://user:password@host:5672/vhost`. */
type RabbitmqOptions = { url: string; queue: string };

const connectTimeoutMs = 10_000;
const heartbeatS = 10;
/**
 * Maximum messages that RabbitMQ has sent and the bridge has not acknowledged. RabbitMQ cannot bound their bytes: with
 * 64 messages of 15 MB the process takes 2 GB. A maximum of 400 would be up to a fifth faster.
 */
const maxUnacknowledged = 64;

/** A queue of RabbitMQ. Ringback never declares it: its type, its durability and its bindings are the platform's. */
export const rabbitmqSource = ({ url, queue }: RabbitmqOptions): Source => ({
  name: `queue ${queue} of RabbitMQ`,
  async connect() {
    const connection = await openConnection(url);
    try {
      return await startConsuming(connection, queue);
    } catch (error) {
      await close(connection);
      throw error;
    }
  },
  async peek(limit) {
    const connection = await openConnection(url);
    try {
      return await getMessages(connection, queue, limit);
    } finally {
      // RabbitMQ puts what is not acknowledged back to its place in the queue.
      await close(connection);
    }
  },
});

async function openConnection(url: string): Promise<ChannelModel> {
  // Only a bridge and a publisher need the library.
  const { connect, credentials } = await import('amqplib');
  const { href, login } = parseAmqpUrl(url);
  const authentication = login && { credentials: credentials.plain(login.user, login.password) };
  return connect(href, { timeout: connectTimeoutMs, ...authentication });
}

/** Connects to RabbitMQ. `failed` rejects when the connection breaks or `fail` is called. */
export async function connectToRabbitmq(url: string) {
  const connection = await openConnection(url);
  return { connection, ...watchFailure(connection) };
}

/** Adds a heartbeat if the URL has none, and decodes the credentials: the library would decode them as ISO 8859-1. */
function parseAmqpUrl(url: string) {
  const parsed = new URL(url);
  const { searchParams } = parsed;
  if (!searchParams.has('heartbeat')) searchParams.set('heartbeat', String(heartbeatS));
  const encoded = [parsed.username, parsed.password];
  const [user, password] = encoded.map((text) => percentDecode(text) ?? text) as [string, string];
  return { href: parsed.href, login: encoded.join('') === '' ? undefined : { user, password } };
}

/** Opens a channel for an existing queue. `failed` rejects when the connection breaks or `fail` is called. */
async function openChannel(connection: ChannelModel, queue: string) {
  const { failed, fail } = watchFailure(connection);
  const channel = await Promise.race([failed, connection.createChannel()]);
  channel.on('error', fail).on('close', () => fail(new Error('RabbitMQ closed the channel')));
  await Promise.race([failed, channel.checkQueue(queue)]).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    throw new OperatorError(`RabbitMQ has no queue ${queue} (--queue)`);
  });
  return { failed, fail, channel };
}

async function getMessages(connection: ChannelModel, queue: string, limit: number): Promise<Message[]> {
  const { failed, channel } = await openChannel(connection, queue);
  const messages: Message[] = [];
  while (messages.length < limit) {
    const message = await Promise.race([failed, channel.get(queue)]);
    if (message === false) break;
    messages.push({ body: message.content, event: eventOf(message) });
  }
  return messages;
}

/** Starts to consume, so that `connect` fails when RabbitMQ refuses that. The messages wait for `run`. */
async function startConsuming(connection: ChannelModel, queue: string): Promise<BrokerConnection> {
  const { failed, fail, channel } = await openChannel(connection, queue);
  await Promise.race([failed, channel.prefetch(maxUnacknowledged)]);
  let start: (run: Run) => void = () => undefined;
  const started = new Promise<Run>((resolve) => (start = resolve));
  const inFlight = new Set<Promise<void>>();
  const ingestAndAcknowledge = async (message: ConsumeMessage) => {
    const { ingest, stopping } = await started;
    // An unexpected error ends the connection, so that RabbitMQ delivers the message again.
    await ingest({ body: message.content, event: eventOf(message) })
      .then(() => channel.ack(message))
      .catch((error: unknown) => stopping.aborted || fail(toError(error)));
  };
  const onMessage = (message: ConsumeMessage | null) => {
    if (message === null) return fail(new Error(`the queue ${queue} was deleted, or its node stopped`));
    const acknowledged = ingestAndAcknowledge(message).finally(() => inFlight.delete(acknowledged));
    inFlight.add(acknowledged);
  };
  // With a priority, RabbitMQ refuses to consume a stream, from which the bridge would miss the messages that arrive
  // while it is not connected.
  const { consumerTag } = await Promise.race([failed, channel.consume(queue, onMessage, { priority: 0 })]);
  return {
    async run(ingest, stopping) {
      start({ ingest, stopping });
      await Promise.race([failed, aborted(stopping)]);
      await Promise.race([failed, channel.cancel(consumerTag)]);
    },
    async close() {
      await Promise.all(inFlight);
      await close(connection, channel);
    },
  };
}

type Run = { ingest: IngestMessage; stopping: AbortSignal };

/** Returns `failed`, a promise that rejects when the connection breaks or `fail` is called, and the function `fail`. */
function watchFailure(connection: ChannelModel) {
  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => (fail = reject));
  // May be rejected before anything awaits it.
  failed.catch(() => undefined);
  connection
    .on('error', fail)
    .on('close', (error?: Error) => fail(error ?? new Error('RabbitMQ closed the connection')));
  return { failed, fail };
}

/**
 * Closes the channel, then the connection, within `closeWithinMs`. RabbitMQ confirms the end of a channel after it has
 * handled all acknowledgements. If the connection breaks, the library would wait forever for this confirmation.
 */
async function close(connection: ChannelModel, channel?: Channel): Promise<void> {
  const broken = once(connection, 'close').catch(() => undefined);
  const closed = (channel?.close() ?? Promise.resolve()).finally(() => connection.close());
  await withTimeout(closeWithinMs, Promise.race([closed, broken]), () => undefined).catch(() => undefined);
}

/** The message's `type` names the event, as the job's name does for BullMQ, else a header `event` does. */
function eventOf({ properties: { type, headers } }: Pick<ConsumeMessage, 'properties'>): string | undefined {
  const header: unknown = headers?.event;
  return type || (typeof header === 'string' ? header : undefined);
}

const toError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));
const isNotFound = (error: unknown) => error instanceof Error && 'code' in error && error.code === 404;
