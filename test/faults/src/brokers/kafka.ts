import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Admin, Consumer, Producer, stringDeserializer, stringSerializer } from '@platformatic/kafka';
import { findFreePort } from '@ringback/embedded';
import { createTemporaryFolder } from '@ringback/testing';
import { awaitState } from '../scenario.js';
import { type Broker, type BrokerMessage, type Server, startServer } from './broker.js';
import { kafkaJars, kafkaVersion } from './kafka-jars.data.js';

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
    outcomeArgs: ['--to', `kafka://${addresses.join(',')}`, '--topic', topic],
    readAll: async () => readAll(addresses, await asAdmin(countMessages)),
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

async function readAll(bootstrapBrokers: string[], count: number): Promise<string[]> {
  const consumer = new Consumer({
    ...{ clientId: 'faults', groupId: 'faults-reader', bootstrapBrokers },
    deserializers: { value: stringDeserializer },
  });
  try {
    const bodies: string[] = [];
    if (count === 0) return bodies;
    const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false });
    for await (const { value } of stream) {
      bodies.push(String(value));
      if (bodies.length >= count) break;
    }
    return bodies;
  } finally {
    await consumer.close(true);
  }
}

async function countMessages(admin: Admin): Promise<number> {
  const ends = await endsOf(admin);
  return ends.reduce((sum, { offset }) => sum + Number(offset), 0);
}

async function endsOf(admin: Admin): Promise<{ partitionIndex: number; offset: bigint }[]> {
  const latest = -1n;
  const partitions = (await indexesOf(admin)).map((partitionIndex) => ({ partitionIndex, timestamp: latest }));
  const [ends] = await admin.listOffsets({ topics: [{ name: topic, partitions }] });
  return ends?.partitions ?? [];
}

/** Counts messages whose offset the group has not committed. */
async function countLeft(admin: Admin): Promise<number> {
  const ends = await endsOf(admin);
  const [committed] = await admin.listConsumerGroupOffsets({
    groups: [
      { groupId: group, topics: [{ name: topic, partitionIndexes: ends.map(({ partitionIndex }) => partitionIndex) }] },
    ],
  });
  const committedOffsets = new Map(
    committed?.topics[0]?.partitions.map(
      ({ partitionIndex, committedOffset }) => [partitionIndex, committedOffset] as const,
    ),
  );
  let left = 0n;
  for (const { partitionIndex, offset } of ends) {
    const from = committedOffsets.get(partitionIndex) ?? 0n;
    left += offset - (from < 0n ? 0n : from);
  }
  return Number(left);
}

// A small heap and only the fast compiler, because the broker runs for one scenario.
const jvm = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

/** A node of a Kafka cluster. It keeps its port and its data across restarts. */
type KafkaNode = { id: number; address: string; start(): void; kill(): Promise<void> };

type NodeOptions = { id: number; folder: string; classPath: string; role: Role; controllerPort: number };

type Role = 'broker,controller' | 'broker' | 'controller';

/**
 * Prepares the nodes of a cluster. A single broker is also the controller. Several brokers have a separate controller,
 * so that killing a broker does not kill the controller. Returns all nodes, and the brokers among them.
 */
async function prepareNodes(options: { folder: string; classPath: string; brokers: number }) {
  const controllerPort = await findFreePort();
  const prepare = (id: number, role: Role) => prepareNode({ ...options, id, role, controllerPort });
  if (options.brokers === 1) {
    const node = await prepare(1, 'broker,controller');
    return { nodes: [node], brokers: [node] };
  }
  const controller = await prepare(1, 'controller');
  const brokers: KafkaNode[] = [];
  for (let id = 2; id < options.brokers + 2; id++) brokers.push(await prepare(id, 'broker'));
  return { nodes: [controller, ...brokers], brokers };
}

async function prepareNode({ id, folder: parent, classPath, role, controllerPort }: NodeOptions): Promise<KafkaNode> {
  const folder = `${parent}/node-${id}`;
  mkdirSync(folder);
  const port = await findFreePort();
  const file = `${folder}/server.properties`;
  writeFileSync(file, settings({ id, role, folder, port, controllerPort }));
  const java = [...jvm, '-cp', classPath];
  const format = ['format', '-t', 'AAAAAAAAAAAAAAAAAAAAAQ', '-c', file, ...(role === 'broker' ? [] : ['--standalone'])];
  const formatted = spawnSync('java', [...java, 'kafka.tools.StorageTool', ...format]);
  if (formatted.status !== 0) throw new Error(`Kafka's storage was not formatted: ${formatted.stderr}`);
  let server: Server | undefined;
  return {
    id,
    address: `127.0.0.1:${port}`,
    start() {
      server ??= startServer({ command: 'java', args: [...java, 'kafka.Kafka', file], folder });
    },
    async kill() {
      await server?.kill();
      server = undefined;
    },
  };
}

type Settings = { id: number; role: Role; folder: string; port: number; controllerPort: number };

function settings({ id, role, folder, port, controllerPort }: Settings): string {
  const [client, controller] = [`PLAINTEXT://127.0.0.1:${port}`, `CONTROLLER://127.0.0.1:${controllerPort}`];
  const listeners = { broker: client, controller, 'broker,controller': `${client},${controller}` };
  return `process.roles=${role}
node.id=${id}
controller.quorum.bootstrap.servers=127.0.0.1:${controllerPort}
listeners=${listeners[role]}
${role === 'controller' ? '' : `advertised.listeners=${client}`}
controller.listener.names=CONTROLLER
log.dirs=${folder}/data
broker.heartbeat.interval.ms=500
broker.session.timeout.ms=3000
offsets.topic.replication.factor=${role === 'broker' ? 2 : 1}
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
`;
}

const central = 'https://repo1.maven.org/maven2/';
const folder = fileURLToPath(new URL(`../../../../node_modules/.cache/kafka-${kafkaVersion}`, import.meta.url));

export const hasJava = (): boolean => spawnSync('java', ['-version']).status === 0;

/** Downloads the missing jars of Kafka from Maven Central, 44 MB, and resolves with the class path. */
async function fetchKafka(): Promise<string> {
  mkdirSync(folder, { recursive: true });
  await Promise.all(kafkaJars.map(([path, sha256]) => fetchJar(path, sha256)));
  return join(folder, '*');
}

async function fetchJar(path: string, sha256: string): Promise<void> {
  const file = join(folder, basename(path));
  const isRight = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex') === sha256;
  if (existsSync(file) && isRight(readFileSync(file))) return;
  const response = await fetch(central + path);
  if (!response.ok) throw new Error(`${central}${path} answered ${response.status}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!isRight(bytes)) throw new Error(`${central}${path} does not have the expected SHA-256`);
  // Another process may download the same file.
  writeFileSync(`${file}.${process.pid}`, bytes);
  renameSync(`${file}.${process.pid}`, file);
}
