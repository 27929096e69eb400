import { type Command, Option } from 'commander';
import { platformEventNames } from '@ringback/rules';
import { OperatorError, readConfig, variables } from '@ringback/process';
import { kafkaSource } from '../bridge/kafka.js';
import { rabbitmqSource } from '../bridge/rabbitmq.js';
import type { Source } from '../bridge/broker.js';

type Options = { from?: string; queue?: string; topic?: string; group: string; event?: string };

const description =
  'ingest events from a RabbitMQ queue or a Kafka topic until SIGTERM or Ctrl-C. A message is one event, in the form that ' +
  'POST /events takes, and is acknowledged once the event is stored. `event rejected` lists invalid messages';

/** Adds the command `bridge`, for platforms that have neither a BullMQ client nor HTTP. */
export function addBridgeCommand(program: Command): void {
  program
    .command('bridge')
    .description(description)
    .option('--from <url>', 'amqp://user:password@host/vhost or kafka://host:9092,host:9092 (default: BRIDGE_URL)')
    .option('--queue <name>', 'RabbitMQ queue; must exist')
    .option('--topic <name>', 'Kafka topic; must exist')
    .option('--group <name>', 'Kafka consumer group; bridges in a group share the topic', 'ringback')
    .addOption(new Option('--event <name>', 'event name for messages without one').choices(platformEventNames))
    .action(async (options: Options) => {
      const source = createSource(options);
      // Other commands must not load what only a long-running process needs.
      const { runBridge } = await import('../bridge/bridge.js');
      runBridge({ source, defaultEvent: options.event });
    });
}

/**
 * Creates the source that the options and BRIDGE_URL name. Throws an OperatorError if they are invalid, incomplete or
 * for another broker.
 */
export function createSource({ from, queue, topic, group }: Options, env: NodeJS.ProcessEnv = process.env): Source {
  const url = readUrl(from, env);
  if (url.startsWith('amqp')) {
    if (topic !== undefined) throw new OperatorError('--topic is for Kafka; RabbitMQ needs --queue');
    if (queue === undefined) throw new OperatorError('--queue is required for RabbitMQ');
    return rabbitmqSource({ url, queue });
  }
  if (queue !== undefined) throw new OperatorError('--queue is for RabbitMQ; Kafka needs --topic');
  if (topic === undefined) throw new OperatorError('--topic is required for Kafka');
  return kafkaSource({ url, topic, group });
}

function readUrl(from: string | undefined, env: NodeJS.ProcessEnv): string {
  if (from === undefined) {
    const { BRIDGE_URL: url } = readConfig(env, ['BRIDGE_URL']);
    if (url === undefined) throw new OperatorError('--from or BRIDGE_URL is required');
    return url;
  }
  const { success, error } = variables.BRIDGE_URL.safeParse(from);
  if (!success) throw new OperatorError(`--from ${error.issues[0]?.message}`);
  return from;
}
