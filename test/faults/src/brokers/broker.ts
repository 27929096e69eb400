import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { stopWithParent } from '@ringback/embedded';

/** `event`: RabbitMQ's property `type` or Kafka's header `event`; null is a header without a value, in Kafka only. */
export type BrokerMessage = { body: string | Buffer; event?: string | null };

/** The message broker of a scenario, with one queue or topic. It keeps its port and its data across restarts. */
export type Broker = {
  /** The options of `ringback bridge` for this broker. */
  args: string[];
  /** Resolves when the broker has confirmed all messages. */
  publish(messages: BrokerMessage[]): Promise<void>;
  /** The options of `ringback outcomes` for the same queue or topic. */
  outcomeArgs: string[];
  /** Reads the bodies of all messages: in the order of the queue, or of each partition. A queue is empty afterwards. */
  readAll(): Promise<string[]>;
  /** Counts the messages that the bridge has not acknowledged, delivered to it or not. */
  countLeft(): Promise<number>;
  /** Ends the broker with SIGKILL. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Kills the broker and removes its data. */
  remove(): Promise<void>;
};

export type BrokerName = 'rabbitmq' | 'kafka';

type ServerOptions = { command: string; args: string[]; env?: NodeJS.ProcessEnv; folder: string; log?: string };

/** A server process. It is killed when this process ends for any reason. */
export type Server = { kill(): Promise<void>; output(): string; hasEnded(): boolean };

/** Starts the process of a broker. Its output goes to a file in its folder. */
export function startServer({ command, args, env = {}, folder, log: name = 'output.log' }: ServerOptions): Server {
  const file = `${folder}/${name}`;
  const log = openSync(file, 'w');
  const options = { env: { ...process.env, ...env }, cwd: folder, detached: true };
  const child: ChildProcess = spawn(command, args, { ...options, stdio: ['ignore', log, log] });
  closeSync(log);
  const ended = once(child, 'exit').catch(() => undefined);
  const guard = stopWithParent(child.pid ?? 0, [{ signal: 'SIGKILL', withinMs: 2_000 }], folder);
  return {
    output: () => readFileSync(file, 'utf8'),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async kill() {
      // RabbitMQ's script starts Erlang as a child: the whole group must end.
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
      await ended;
      guard.cancel();
    },
  };
}
