import { Command, InvalidArgumentError, Option } from 'commander';
import { faults } from '@ringback/receiver';
import { explain } from '@ringback/runtime';
import { sampleKinds } from '@ringback/samples';
import { emit } from './emit.js';
import { receive } from './receive.js';

const number = (least: number, most: number) => (text: string) => {
  const value = Number(text);
  if (!(value >= least && value <= most))
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`);
  return value;
};
const whole = (least: number, most: number) => (text: string) => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return number(least, most)(text);
};

const program = new Command('sandbox').description(
  'For trying Ringback: a receiver that misbehaves on request, and sample events.',
);

program
  .command('receive')
  .description('receive callbacks, verify them, print them, and answer as told')
  .option('--port <port>', 'port on 127.0.0.1', whole(0, 65_535), 4000)
  .option('--status <code>', 'status of the answer', whole(200, 599), 200)
  .option('--delay <ms>', 'wait before the answer', whole(0, 600_000), 0)
  .addOption(new Option('--fault <fault>', 'misbehave in place of an answer').choices(faults))
  .option('--fail-first <count>', 'answer the first calls with 500', whole(0, 1_000_000_000), 0)
  .option('--webhook <id...>', 'ids of webhooks whose Signature to verify; those of the demo account otherwise')
  .option('--token <token>', 'expected Bearer; the demo account’s callback token and its webhooks’ secrets otherwise')
  .action(receive);

program
  .command('emit')
  .description('push sample events into the queues, as a platform does')
  .requiredOption('--account <id>', 'id of the account')
  .option('--webhook <id>', 'send them to this webhook; by the subscriptions otherwise')
  .addOption(new Option('--kind <kind>', 'kind of event').choices(sampleKinds).default('sms'))
  .option('--rate <number>', 'events a second', number(0.001, 100_000), 1)
  .option('--count <number>', 'how many; until Ctrl-C otherwise', whole(1, 1_000_000_000))
  .action(emit);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
