import { type Command, Option } from 'commander';
import { platformEventNames } from '@ringback/rules';
import { OperatorError, readConfig, variables } from '@ringback/process';
import { wholeNumber } from '@ringback/process/command-line';
import { kafkaSource } from '../bridge/kafka.js';
import { rabbitmqSource } from '../bridge/rabbitmq.js';
import type { Source } from '../bridge/broker.js';
import { dryRun } from '../bridge/dry-run.js';
import { readMessageMap } from '../bridge/message-map.js';

type SourceOptions = { from?: string; queue?: string; topic?: string; group: string };
type Options = SourceOptions & { event?: string; map?: string; dryRun?: boolean; limit?: number };

const description =
  'ingest events from a RabbitMQ queue or a Kafka topic until SIGTERM or Ctrl-C. A message is one event, in the form that ' +
  'POST /events takes unless --map describes another, and is acknowledged once the event is stored. `event rejected` ' +
  'lists invalid messages';

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
    .option('--map <file>', 'JSON file that says where in a message the fields of an event are, or its text')
    .option(
      '--dry-run',
      'print what a few messages become, and leave them to the bridge; without a broker, NDJSON from stdin',
    )
    .addOption(new Option('--limit <number>', 'messages of a dry run (default: 10)').argParser(wholeNumber(1, 1_000)))
    .action(async (options: Options) => {
      const form = {
        defaultEvent: options.event,
        map: options.map === undefined ? undefined : readMessageMap(options.map),
      };
      if (options.dryRun) {
        const hasBroker = options.from !== undefined || process.env.BRIDGE_URL;
        return dryRun({ source: hasBroker ? createSource(options) : undefined, form, limit: options.limit ?? 10 });
      }
      if (options.limit !== undefined) throw new OperatorError('--limit is for --dry-run');
      const source = createSource(options);
      // Other commands must not load what only a long-running process needs.
      const { runBridge } = await import('../bridge/bridge.js');
      runBridge({ source, form });
    });
}

/**
 * Creates the source that the options and BRIDGE_URL name. Throws an OperatorError if they are invalid, incomplete or
 * for another broker.
 */
export function createSource(
  { from, queue, topic, group }: SourceOptions,
  env: NodeJS.ProcessEnv = process.env,
): Source {
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
