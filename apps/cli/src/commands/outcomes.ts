import { type Command, InvalidArgumentError, Option } from 'commander';
import { type OutcomeCursor, outcomeTypes, type OutcomeType, parseOutcomeCursor } from '@ringback/ledger';
import { createStopSignal } from '@ringback/process/command-line';
import { OperatorError, variables } from '@ringback/process';
import type { OutcomeTarget } from '../bridge/outcomes.js';
import { withConnections } from '../connect.js';
import { parseName } from '../options.js';

type Options = {
  to?: string;
  topic?: string;
  queue?: string;
  exchange?: string;
  name?: string;
  cursor?: OutcomeCursor;
  fromOldest?: true;
  types?: OutcomeType[];
  once?: true;
};

const description =
  'publish what became of attempts and deliveries, at least once and in order, until SIGTERM or Ctrl-C. How far it got is ' +
  'stored in the database under --name; with --to - only if --name is given';

/** Adds the command `outcomes`. */
export function addOutcomesCommand(program: Command): void {
  program
    .command('outcomes')
    .description(description)
    .addOption(
      new Option(
        '--to <url>',
        'amqp://user:password@host/vhost, kafka://host:9092,host:9092, or - for lines of JSON on stdout',
      ).env('OUTCOMES_URL'),
    )
    .option('--topic <name>', 'Kafka topic; must exist')
    .option('--queue <name>', 'RabbitMQ queue; must exist')
    .option('--exchange <name>', 'RabbitMQ exchange; must exist. The routing key is <type>.<state>')
    .option('--name <name>', 'name under which it stores how far it got (default for brokers: outcomes)', parseName)
    .option('--cursor <cursor>', 'begin after the row with this cursor, whatever is stored', parseCursor)
    .option('--from-oldest', 'begin with the oldest row that is kept, whatever is stored')
    .option(
      '--types <list>',
      `only these types: ${outcomeTypes.join(', ')} (comma-separated; default: all)`,
      parseTypes,
    )
    .option('--once', 'end when everything is published')
    .action(async (options: Options) => {
      const target = await createTarget(options);
      // Other commands must not load what only this one needs.
      const { publishOutcomes } = await import('../bridge/outcomes.js');
      const { name = options.to === '-' ? undefined : 'outcomes', types, once = false, fromOldest } = options;
      if (fromOldest && options.cursor) throw new OperatorError('give --cursor or --from-oldest, not both');
      const stop = createStopSignal();
      await withConnections(({ db }) =>
        publishOutcomes({ db, target, name, cursor: fromOldest ? null : options.cursor, types, once, stop }),
      );
    });
}

function parseCursor(text: string): OutcomeCursor {
  const cursor = parseOutcomeCursor(text);
  if (cursor === null) throw new InvalidArgumentError('It must be the cursor of a row.');
  return cursor;
}

function parseTypes(text: string): OutcomeType[] {
  const types = text.split(',').map((name) => outcomeTypes.find((type) => type === name.trim()));
  if (types.includes(undefined)) throw new InvalidArgumentError(`Each must be one of ${outcomeTypes.join(', ')}.`);
  return types.filter((type) => type !== undefined);
}

/** Creates the target that the options name. Throws an OperatorError if they are invalid or incomplete. */
async function createTarget({ to: url, topic, queue, exchange }: Options): Promise<OutcomeTarget> {
  if (url === undefined) throw new OperatorError('--to or OUTCOMES_URL is required');
  if (url === '-') {
    if (topic ?? queue ?? exchange) throw new OperatorError('--topic, --queue and --exchange are for brokers');
    return (await import('../bridge/outcomes.js')).stdoutTarget;
  }
  const { success, error } = variables.BRIDGE_URL.safeParse(url);
  if (!success) throw new OperatorError(`--to ${error.issues[0]?.message}, or be - for stdout`);
  const { kafkaTarget, rabbitmqTarget } = await import('../bridge/outcome-brokers.js');
  if (url.startsWith('amqp')) {
    if (topic !== undefined) throw new OperatorError('--topic is for Kafka; RabbitMQ needs --queue or --exchange');
    if ((queue === undefined) === (exchange === undefined))
      throw new OperatorError('RabbitMQ needs --queue or --exchange, and not both');
    return rabbitmqTarget({ url, queue, exchange });
  }
  if (queue ?? exchange) throw new OperatorError('--queue and --exchange are for RabbitMQ; Kafka needs --topic');
  if (topic === undefined) throw new OperatorError('--topic is required for Kafka');
  return kafkaTarget({ url, topic });
}
