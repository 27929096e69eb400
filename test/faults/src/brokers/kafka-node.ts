import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { findFreePort } from '@ringback/embedded';
import { type Server, startServer } from './broker.js';

// A small heap and only the fast compiler, because the broker runs for one scenario.
const jvm = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

/** A node of a Kafka cluster. It keeps its port and its data across restarts. */
export type KafkaNode = { id: number; address: string; start(): void; kill(): Promise<void> };

type NodeOptions = { id: number; folder: string; classPath: string; role: Role; controllerPort: number };

type Role = 'broker,controller' | 'broker' | 'controller';

/**
 * Prepares the nodes of a cluster. A single broker is also the controller. Several brokers have a separate controller,
 * so that killing a broker does not kill the controller. Returns all nodes, and the brokers among them.
 */
export async function prepareNodes(options: { folder: string; classPath: string; brokers: number }) {
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
