import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { Admin, Producer, stringSerializer } from '@platformatic/kafka';
import { findFreePort } from '@ringback/embedded';
import { createTemporaryFolder } from '@ringback/testing';
import { awaitState } from '../await-state.js';
import { type Broker, type BrokerMessage, type Server, startServer } from './broker.js';
import { fetchKafka } from './kafka-jars.js';

const topic = 'events';
const group = 'ringback';
const partitions = 3;
// A small heap and the fast compiler: the broker serves one test.
const jvm = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

/** Starts a Kafka broker of one node with a topic of three partitions. Needs Java 17; downloads Kafka once. */
export async function startKafka(): Promise<Broker> {
  const classPath = await fetchKafka();
  const folder = createTemporaryFolder('ringback-kafka');
  const [port, controllerPort] = [await findFreePort(), await findFreePort()];
  writeFileSync(`${folder}/server.properties`, settings(folder, port, controllerPort));
  const java = [...jvm, '-cp', classPath];
  const format = ['format', '-t', 'AAAAAAAAAAAAAAAAAAAAAQ', '-c', `${folder}/server.properties`, '--standalone'];
  const formatted = spawnSync('java', [...java, 'kafka.tools.StorageTool', ...format]);
  if (formatted.status !== 0) throw new Error(`Kafka's storage was not formatted: ${formatted.stderr}`);
  const address = `127.0.0.1:${port}`;
  let server: Server | undefined;
  const kill = async () => {
    await server?.kill();
    server = undefined;
  };
  const start = async () => {
    server = startServer({ command: 'java', args: [...java, 'kafka.Kafka', `${folder}/server.properties`], folder });
    await awaitState('Kafka runs', () => ensureTopic(address), { withinMs: 120_000, everyMs: 500 });
  };
  await start();
  return {
    args: ['--from', `kafka://${address}`, '--topic', topic, '--group', group],
    publish: (messages) => publish(address, messages),
    countLeft: () => countLeft(address),
    kill,
    start,
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

const settings = (folder: string, port: number, controllerPort: number) => `process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:${controllerPort}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAINTEXT://127.0.0.1:${port}
controller.listener.names=CONTROLLER
log.dirs=${folder}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
`;

async function withAdmin<T>(address: string, act: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = new Admin({ clientId: 'faults', bootstrapBrokers: [address], retries: 0 });
  try {
    return await act(admin);
  } finally {
    await admin.close();
  }
}

async function ensureTopic(address: string): Promise<boolean> {
  try {
    return await withAdmin(address, async (admin) => {
      const topics = await admin.listTopics();
      if (!topics.includes(topic)) await admin.createTopics({ topics: [topic], partitions, replicas: 1 });
      return true;
    });
  } catch {
    return false;
  }
}

const compressions = ['none', 'gzip', 'snappy', 'lz4'] as const;
let published = 0;

/** Publishes a batch; one batch after the other has another compression. */
async function publish(address: string, messages: BrokerMessage[]): Promise<void> {
  const producer = new Producer({
    clientId: 'faults',
    bootstrapBrokers: [address],
    serializers: { headerKey: stringSerializer, headerValue: stringSerializer },
  });
  try {
    await producer.send({
      messages: messages.map(({ body, event }, index) => ({
        topic,
        partition: index % partitions,
        value: Buffer.from(body),
        ...(event === undefined ? {} : { headers: new Map([['event', event]]) }),
      })),
      acks: -1,
      compression: compressions[published++ % compressions.length] ?? 'none',
    });
  } finally {
    await producer.close();
  }
}

/** Messages whose offset the group has not committed. */
async function countLeft(address: string): Promise<number> {
  return withAdmin(address, async (admin) => {
    const indexes = Array.from({ length: partitions }, (_, partitionIndex) => partitionIndex);
    const latest = -1n;
    const [ends] = await admin.listOffsets({
      topics: [{ name: topic, partitions: indexes.map((partitionIndex) => ({ partitionIndex, timestamp: latest })) }],
    });
    const [committed] = await admin.listConsumerGroupOffsets({
      groups: [{ groupId: group, topics: [{ name: topic, partitionIndexes: indexes }] }],
    });
    const done = new Map(
      committed?.topics[0]?.partitions.map((one) => [one.partitionIndex, one.committedOffset] as const),
    );
    let left = 0n;
    for (const { partitionIndex, offset } of ends?.partitions ?? []) {
      const from = done.get(partitionIndex) ?? 0n;
      left += offset - (from < 0n ? 0n : from);
    }
    return Number(left);
  });
}
