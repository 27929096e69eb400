import { rmSync } from 'node:fs';
import { Admin, Producer, stringSerializer } from '@platformatic/kafka';
import { createTemporaryFolder } from '@ringback/testing';
import { awaitState } from '../await-state.js';
import type { Broker, BrokerMessage } from './broker.js';
import { fetchKafka } from './kafka-jars.js';
import { type KafkaNode, prepareNodes } from './kafka-node.js';

const topic = 'events';
const group = 'ringback';
const partitions = 3;

export type KafkaBroker = Broker & {
  /** Kills the coordinator of the group. Resolves with the id of the killed broker when another is the coordinator. */
  killCoordinator(): Promise<number>;
  addPartitions(count: number): Promise<void>;
  /** Sets the offset of the group in all partitions. The group must not have members. */
  setOffsets(offset: bigint): Promise<void>;
};

/** Starts Kafka with a topic of three partitions, by default with one broker. Needs Java 17; downloads Kafka once. */
export async function startKafka(brokerCount = 1): Promise<KafkaBroker> {
  const classPath = await fetchKafka();
  const folder = createTemporaryFolder('ringback-kafka');
  const { nodes, brokers } = await prepareNodes({ folder, classPath, brokers: brokerCount });
  const addresses = brokers.map(({ address }) => address);
  const asAdmin = createAsAdmin(addresses);
  const kill = async () => {
    await Promise.all(nodes.map((node) => node.kill()));
  };
  const start = async () => {
    for (const node of nodes) node.start();
    await awaitState('Kafka is up', () => asAdmin(ensureTopic(brokerCount)).catch(() => false as const), {
      withinMs: 120_000,
      everyMs: 500,
    });
  };
  await start();
  return {
    args: ['--from', `kafka://${addresses.join(',')}`, '--topic', topic, '--group', group],
    publish: (messages) => publish(addresses, messages),
    countLeft: () => asAdmin(countLeft),
    killCoordinator: () => killCoordinator(brokers, asAdmin),
    addPartitions: (count) =>
      asAdmin(async (admin) =>
        admin.createPartitions({ topics: [{ name: topic, count: (await indexesOf(admin)).length + count }] }),
      ),
    setOffsets: (offset) =>
      asAdmin(async (admin) => {
        const partitionOffsets = (await indexesOf(admin)).map((partition) => ({ partition, offset }));
        await admin.alterConsumerGroupOffsets({ groupId: group, topics: [{ name: topic, partitionOffsets }] });
      }),
    kill,
    start,
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

type AsAdmin = <T>(act: (admin: Admin) => Promise<T>) => Promise<T>;

const createAsAdmin =
  (bootstrapBrokers: string[]): AsAdmin =>
  async (act) => {
    const admin = new Admin({ clientId: 'faults', bootstrapBrokers, retries: 0 });
    try {
      return await act(admin);
    } finally {
      await admin.close();
    }
  };

const ensureTopic = (brokerCount: number) => async (admin: Admin) => {
  const { brokers } = await admin.metadata({ topics: [] });
  if (brokers.size < brokerCount) return false;
  const topics = await admin.listTopics();
  if (!topics.includes(topic)) await admin.createTopics({ topics: [topic], partitions, replicas: brokerCount });
  return true;
};

async function indexesOf(admin: Admin): Promise<number[]> {
  const { topics } = await admin.metadata({ topics: [topic] });
  return Array.from({ length: topics.get(topic)?.partitionsCount ?? 0 }, (_, index) => index);
}

async function killCoordinator(brokers: KafkaNode[], asAdmin: AsAdmin): Promise<number> {
  const find = () =>
    asAdmin(async (admin) => (await admin.findCoordinator({ keyType: 0, keys: [group] }))[0]?.nodeId ?? -1);
  const killedId = await find();
  await brokers.find(({ id }) => id === killedId)?.kill();
  const hasMoved = async () => ![killedId, -1].includes(await find().catch(() => -1));
  await awaitState('the group has another coordinator', hasMoved, { withinMs: 60_000, everyMs: 500 });
  return killedId;
}

const compressions = ['none', 'gzip', 'snappy', 'lz4'] as const;
let published = 0;

/** Publishes a batch to all partitions. Consecutive batches have different compressions. */
async function publish(bootstrapBrokers: string[], messages: BrokerMessage[]): Promise<void> {
  const indexes = await createAsAdmin(bootstrapBrokers)(indexesOf);
  const producer = new Producer({
    clientId: 'faults',
    bootstrapBrokers,
    serializers: { headerKey: stringSerializer, headerValue: stringSerializer },
  });
  try {
    await producer.send({
      messages: messages.map(({ body, event }, index) => ({
        topic,
        partition: index % indexes.length,
        value: Buffer.from(body),
        // Kafka allows a header without a value, which the types of the library do not.
        ...(event === undefined ? {} : { headers: new Map([['event', event as string]]) }),
      })),
      acks: -1,
      compression: compressions[published++ % compressions.length] ?? 'none',
    });
  } finally {
    await producer.close();
  }
}

/** Counts messages whose offset the group has not committed. */
async function countLeft(admin: Admin): Promise<number> {
  const indexes = await indexesOf(admin);
  const latest = -1n;
  const [ends] = await admin.listOffsets({
    topics: [{ name: topic, partitions: indexes.map((partitionIndex) => ({ partitionIndex, timestamp: latest })) }],
  });
  const [committed] = await admin.listConsumerGroupOffsets({
    groups: [{ groupId: group, topics: [{ name: topic, partitionIndexes: indexes }] }],
  });
  const committedOffsets = new Map(
    committed?.topics[0]?.partitions.map(
      ({ partitionIndex, committedOffset }) => [partitionIndex, committedOffset] as const,
    ),
  );
  let left = 0n;
  for (const { partitionIndex, offset } of ends?.partitions ?? []) {
    const from = committedOffsets.get(partitionIndex) ?? 0n;
    left += offset - (from < 0n ? 0n : from);
  }
  return Number(left);
}
