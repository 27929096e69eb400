import { once } from 'node:events';
import { OperatorError, withTimeout } from '@ringback/process';
import { closeWithinMs } from './broker.js';
import { parseKafkaUrl } from './kafka.js';
import type { PublishedOutcome, OutcomeTarget } from './outcomes.js';
import { connectToRabbitmq } from './rabbitmq.js';

type KafkaOptions = { url: string; topic: string };

/** The acknowledgement of all replicas that are in sync. */
const allReplicas = -1;

/** A topic of Kafka. The key of a message is the delivery's id, so the rows of a delivery stay in order. */
export function kafkaTarget({ url, topic }: KafkaOptions): OutcomeTarget {
  const servers = parseKafkaUrl(url);
  return {
    name: `topic ${topic} of Kafka`,
    async connect() {
      // Only this command needs the library.
      const { Producer } = await import('@platformatic/kafka');
      const producer = new Producer({ ...servers, clientId: 'ringback-outcomes', acks: allReplicas });
      // A send that fails rejects; nothing else depends on these.
      producer.on('error', () => undefined);
      const close = async () => {
        const closed = new Promise<void>((resolve) => producer.close(true, () => resolve()));
        await withTimeout(closeWithinMs, closed, () => undefined).catch(() => undefined);
      };
      await producer.metadata({ topics: [topic] }).catch(async (error: unknown) => {
        await close();
        if (!(error instanceof Error) || !error.message.startsWith('Unknown topic')) throw error;
        throw new OperatorError(`Kafka has no topic ${topic} (--topic)`);
      });
      return {
        async publish(rows) {
          const messages = rows.map((row) => ({
            topic,
            key: Buffer.from(row.delivery_id),
            value: Buffer.from(JSON.stringify(row)),
          }));
          await producer.send({ messages });
        },
        close,
      };
    },
  };
}

type RabbitmqOptions = { url: string; queue: string | undefined; exchange: string | undefined };

/**
 * A queue or an exchange of RabbitMQ, which must exist. For an exchange, the routing key is the row's type and state,
 * such as `delivery.failed`. RabbitMQ confirms each message.
 */
export const rabbitmqTarget = ({ url, queue, exchange = '' }: RabbitmqOptions): OutcomeTarget => ({
  name: exchange === '' ? `queue ${queue} of RabbitMQ` : `exchange ${exchange} of RabbitMQ`,
  async connect() {
    const { connection, failed, fail } = await connectToRabbitmq(url);
    const close = async () => {
      const broken = once(connection, 'close').catch(() => undefined);
      await withTimeout(closeWithinMs, Promise.race([connection.close(), broken]), () => undefined).catch(
        () => undefined,
      );
    };
    try {
      const channel = await Promise.race([failed, connection.createConfirmChannel()]);
      channel.on('error', fail).on('close', () => fail(new Error('RabbitMQ closed the channel')));
      // Only of a queue: an exchange may have no queue for a row.
      channel.on('return', () => fail(new Error(`the queue ${queue} was deleted`)));
      const check = exchange === '' ? channel.checkQueue(queue ?? '') : channel.checkExchange(exchange);
      await Promise.race([failed, check]).catch((error: unknown) => {
        if (!(error instanceof Error) || !('code' in error) || error.code !== 404) throw error;
        throw new OperatorError(
          exchange === ''
            ? `RabbitMQ has no queue ${queue} (--queue)`
            : `RabbitMQ has no exchange ${exchange} (--exchange)`,
        );
      });
      return {
        async publish(rows) {
          for (const row of rows) {
            const key = exchange === '' ? (queue ?? '') : `${row.type}.${row.state}`;
            channel.publish(exchange, key, Buffer.from(JSON.stringify(row)), {
              persistent: true,
              mandatory: exchange === '',
              contentType: 'application/json',
              type: row.type,
              messageId: messageIdOf(row),
            });
          }
          await Promise.race([failed, channel.waitForConfirms()]);
        },
        close,
      };
    } catch (error) {
      await close();
      throw error;
    }
  },
});

const messageIdOf = ({ type, delivery_id: id, attempt_number: number, at }: PublishedOutcome) =>
  [type, id, number ?? at].join(':');
