import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'amqplib';
import { findFreePort } from '@ringback/embedded';
import { createTemporaryFolder } from '@ringback/testing';
import { awaitState } from '../scenario.js';
import { type Broker, type BrokerMessage, type Server, startServer } from './broker.js';

// Debian's wrapper of this program changes to another user.
const program = '/usr/lib/rabbitmq/bin/rabbitmq-server';
const queue = 'events';

export const hasRabbitmq = (): boolean => existsSync(program);

export type RabbitmqBroker = Broker & {
  /** Adds a user that may read the queue, or may use the virtual host only. */
  addUser(user: { name: string; password: string; mayRead: boolean }): void;
  addStream(name: string): Promise<void>;
};

/** Starts Debian's RabbitMQ with a durable queue. */
export async function startRabbitmq(): Promise<RabbitmqBroker> {
  const folder = createTemporaryFolder('ringback-rabbitmq');
  const [port, distPort, epmdPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const env = environment(folder, { port, distPort, epmdPort });
  const url = `amqp://guest:guest@127.0.0.1:${port}`;
  // Erlang's port mapper. Without it RabbitMQ starts one that continues to run after RabbitMQ ends.
  const mapper = startServer({ command: 'epmd', args: ['-port', String(epmdPort)], env, folder, log: 'epmd.log' });
  let server: Server | undefined;
  const kill = async () => {
    await server?.kill();
    server = undefined;
  };
  const start = async () => {
    const started = (server = startServer({ command: program, args: [], env, folder }));
    const isUp = () => started.hasEnded() || started.output().includes('Server startup complete');
    await awaitState('RabbitMQ is up', isUp, { withinMs: 120_000 });
    if (started.hasEnded()) throw new Error(`RabbitMQ ended: ${started.output()}`);
    await withChannel(url, (channel) => channel.assertQueue(queue, { durable: true }));
  };
  await start();
  return {
    args: ['--from', url, '--queue', queue],
    outcomeArgs: ['--to', url, '--queue', queue],
    readAll: () => withChannel(url, readAll),
    publish: (messages) => withChannel(url, (channel) => publish(channel, messages)),
    countLeft: async () => countLeft(env),
    addUser({ name, password, mayRead }) {
      control(env, ['add_user', name, password]);
      control(env, ['set_permissions', name, '^$', '^$', mayRead ? '.*' : '^$']);
    },
    addStream: (name) =>
      withChannel(url, async (channel) => {
        await channel.assertQueue(name, { durable: true, arguments: { 'x-queue-type': 'stream' } });
      }),
    kill,
    start,
    async remove() {
      await kill();
      await mapper.kill();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

type Ports = { port: number; distPort: number; epmdPort: number };

function environment(folder: string, { port, distPort, epmdPort }: Ports): NodeJS.ProcessEnv {
  mkdirSync(`${folder}/mnesia`);
  writeFileSync(`${folder}/plugins`, '[].');
  writeFileSync(`${folder}/rabbitmq.conf`, '');
  return {
    HOME: folder,
    RABBITMQ_NODENAME: `ringback${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distPort),
    ERL_EPMD_PORT: String(epmdPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_MNESIA_BASE: `${folder}/mnesia`,
    RABBITMQ_LOG_BASE: `${folder}/log`,
    RABBITMQ_LOGS: '-',
    RABBITMQ_PID_FILE: `${folder}/pid`,
    RABBITMQ_CONF_ENV_FILE: `${folder}/none`,
    RABBITMQ_CONFIG_FILE: `${folder}/rabbitmq`,
    RABBITMQ_GENERATED_CONFIG_DIR: `${folder}/config`,
    RABBITMQ_ENABLED_PLUGINS_FILE: `${folder}/plugins`,
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
  };
}

type ConfirmChannel = Awaited<ReturnType<Awaited<ReturnType<typeof connect>>['createConfirmChannel']>>;

async function withChannel<T>(url: string, act: (channel: ConfirmChannel) => Promise<T>): Promise<T> {
  const connection = await connect(url, { timeout: 10_000 });
  connection.on('error', () => undefined);
  try {
    const channel = await connection.createConfirmChannel();
    channel.on('error', () => undefined);
    return await act(channel);
  } finally {
    await connection.close().catch(() => undefined);
  }
}

async function publish(channel: ConfirmChannel, messages: BrokerMessage[]): Promise<void> {
  for (const { body, event } of messages)
    channel.sendToQueue(queue, Buffer.from(body), {
      persistent: true,
      ...(event ? { type: event } : {}),
    });
  await channel.waitForConfirms();
}

async function readAll(channel: ConfirmChannel): Promise<string[]> {
  const bodies: string[] = [];
  for (;;) {
    const message = await channel.get(queue, { noAck: true });
    if (message === false) return bodies;
    bodies.push(message.content.toString());
  }
}

/** Counts messages that are ready or unacknowledged. A client could count only those that are ready. */
function countLeft(env: NodeJS.ProcessEnv): number {
  const table = control(env, ['list_queues', 'name', 'messages', '--no-table-headers']);
  const count = new RegExp(`^${queue}\\t(\\d+)$`, 'm').exec(table)?.[1];
  if (count === undefined) throw new Error(`rabbitmqctl: ${table}`);
  return Number(count);
}

/** Runs a command of `rabbitmqctl`, and returns its output. */
function control(env: NodeJS.ProcessEnv, command: string[]): string {
  const args = [...command, '--quiet', '--node', String(env['RABBITMQ_NODENAME'])];
  const run = spawnSync('/usr/lib/rabbitmq/bin/rabbitmqctl', args, { env: { ...process.env, ...env } });
  if (run.status !== 0) throw new Error(`rabbitmqctl: ${run.stdout} ${run.stderr}`);
  return run.stdout.toString();
}
