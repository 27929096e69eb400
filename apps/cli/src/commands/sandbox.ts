import { type Command, InvalidArgumentError, Option } from 'commander';
import { wholeNumber } from '@ringback/process/command-line';
import { faults } from '@ringback/receiver';
import { sampleKinds } from '@ringback/rules';
import type { EmitOptions } from '../sandbox/emit.js';
import type { ReceiveOptions } from '../sandbox/receive.js';

const decimal = (min: number, max: number) => (text: string) => {
  const value = Number(text);
  if (!(value >= min && value <= max)) throw new InvalidArgumentError(`It must be a number from ${min} to ${max}.`);
  return value;
};

/** Adds the commands `sandbox receive|emit`. */
export function addSandboxCommands(program: Command): void {
  const sandbox = program
    .command('sandbox')
    .description('tools to try Ringback: a receiver, which can simulate faults, and a source of sample events');
  // Each action loads its code when it runs, so that the other commands start as fast as without it.
  sandbox
    .command('receive')
    .description('receive callbacks, verify and print them, and respond to them')
    .option('--port <port>', 'port on 127.0.0.1', wholeNumber(0, 65_535), 4000)
    .option('--status <code>', 'HTTP status of the response', wholeNumber(200, 599), 200)
    .option('--delay <ms>', 'delay of the response in ms', wholeNumber(0, 600_000), 0)
    .addOption(new Option('--fault <fault>', 'simulate a fault instead of responding').choices(faults))
    .option('--fail-first <count>', 'respond to the first <count> calls with 500', wholeNumber(0, 1_000_000_000), 0)
    .option('--webhook <id...>', 'ids of the webhooks whose Signature is verified (default: those of the demo account)')
    .option(
      '--bearer <token>',
      'expected bearer token (default: the callback token and the webhook secrets of the demo account)',
    )
    .action(async (options: ReceiveOptions) => (await import('../sandbox/receive.js')).receive(options));
  sandbox
    .command('emit')
    .description('push sample events into the queues, as a platform does')
    .requiredOption('--account <id>', 'id of the account')
    .option('--webhook <id>', 'send them to this webhook (default: the subscribed webhooks)')
    .addOption(new Option('--kind <kind>', 'kind of event').choices(sampleKinds).default('sms'))
    .option('--rate <number>', 'events per second', decimal(0.001, 100_000), 1)
    .option('--count <number>', 'number of events (default: until Ctrl-C)', wholeNumber(1, 1_000_000_000))
    .action(async (options: EmitOptions) => (await import('../sandbox/emit.js')).emit(options));
}
