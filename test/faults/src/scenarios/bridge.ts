import { setTimeout as sleep } from 'node:timers/promises';
import { randomInt } from 'node:crypto';
import type { Broker, BrokerMessage, BrokerName } from '../brokers/broker.js';
import { startKafka } from '../brokers/kafka.js';
import { hasJava } from '../brokers/kafka-jars.js';
import { hasRabbitmq, startRabbitmq } from '../brokers/rabbitmq.js';
import { readCounts } from '../ledger.js';
import { runCommand } from '../program.js';
import type { ScenarioContext, Scenario } from '../scenario.js';
import { runChanges, runMove } from './bridge-kafka.js';
import { awaitEvents, countEvents, createBrokerLoad, requireEmpty } from './bridge-load.js';
import { runEnds, runRefusals } from './bridge-rabbitmq.js';

const common = { backends: ['postgres'] as const, webhooks: 3 };
const withRabbitmq = {
  ...common,
  skipReason: () => (hasRabbitmq() ? undefined : "Debian's rabbitmq-server is not installed"),
};
const withKafka = { ...common, skipReason: () => (hasJava() ? undefined : 'java is not in PATH') };

/** Runs a scenario with a new broker, and removes the broker afterwards. */
const onBroker =
  <B extends Broker>(start: () => Promise<B>, run: (context: ScenarioContext, broker: B) => Promise<void>) =>
  async (context: ScenarioContext) => {
    const broker = await start();
    await run(context, broker).finally(() => broker.remove());
  };

const brokers: { name: BrokerName; start: () => Promise<Broker>; options: Partial<Scenario> & typeof common }[] = [
  { name: 'rabbitmq', start: startRabbitmq, options: withRabbitmq },
  { name: 'kafka', start: () => startKafka(), options: withKafka },
];

const scenariosOfEach = brokers.flatMap(({ name, start, options }): Scenario[] => {
  return [
    {
      name: `bridge-kills-${name}`,
      title: `a bridge from ${name} is killed repeatedly, PostgreSQL stopped, the broker killed: each message is one event`,
      ...options,
      run: onBroker(start, runKills),
    },
    {
      name: `bridge-stops-${name}`,
      title: `messages from ${name} that are not events are rejected, and SIGTERM leaves no message half processed`,
      ...options,
      run: onBroker(start, runStops),
    },
  ];
});

/** The scenarios of `ringback bridge`. */
export const bridgeScenarios: readonly Scenario[] = [
  ...scenariosOfEach,
  {
    name: 'bridge-ends-rabbitmq',
    title: 'a bridge stops although its connection breaks, and exits with 1 if it leaves messages',
    ...withRabbitmq,
    run: onBroker(startRabbitmq, runEnds),
  },
  {
    name: 'bridge-refused-rabbitmq',
    title:
      'a bridge that RabbitMQ refuses says what to check, and a reader with an encoded password needs no other right',
    ...withRabbitmq,
    run: onBroker(startRabbitmq, runRefusals),
  },
  {
    name: 'bridge-changes-kafka',
    title: 'a header without a value, new partitions, and offsets past the end do not stop a bridge from kafka',
    ...withKafka,
    run: onBroker(() => startKafka(), runChanges),
  },
  {
    name: 'bridge-moves-kafka',
    title: 'the broker that coordinates the group is killed: the bridge continues with another one',
    ...withKafka,
    run: onBroker(() => startKafka(2), runMove),
  },
];

async function runKills(context: ScenarioContext, broker: Broker): Promise<void> {
  const count = context.bySize({ small: 600, normal: 2_000, full: 10_000 });
  await context.startWorker();
  let bridge = await context.startBridge(broker.args);
  const load = createBrokerLoad(context, broker);
  const publishing = load.push(count, { batch: count / 20 });
  for (let round = 1; round <= context.bySize({ small: 2, normal: 5, full: 10 }); round++) {
    await awaitEvents(context, Math.floor((count * randomInt(1, 8) * round) / 100));
    await bridge.end('SIGKILL');
    context.recordFault(`the bridge was killed at ${await countEvents(context)} events`);
    bridge = await context.startBridge(broker.args);
  }
  await awaitEvents(context, count * 0.5);
  await context.postgres.stop();
  context.recordFault('PostgreSQL is stopped');
  await sleep(3_000);
  await context.postgres.start();
  await awaitEvents(context, count * 0.7);
  await broker.kill();
  context.recordFault('the broker was killed');
  await broker.start();
  await publishing;
  await load.push(20);
  await context.settle(load, { withinMs: 120_000 });
  await requireEmpty(context, broker);
  context.require((await countEvents(context)) === count + 20, `there are ${await countEvents(context)} events`);
}

const invalid: BrokerMessage[] = [
  { body: '{"payload":' },
  { body: Buffer.from([0x22, 0xff, 0x22]) },
  { body: '[1]', event: 'sms:message:status' },
  { body: '{"account_id":"180ebbb5-9b6f-4c51-a98a-0123456789ab","payload":{"id":"1"}}', event: 'sms:nonsense' },
  { body: '{"payload":{"id":"1"}}', event: 'sms:message:status' },
];

async function runStops(context: ScenarioContext, broker: Broker): Promise<void> {
  await context.startWorker();
  const load = createBrokerLoad(context, broker);
  const count = context.bySize({ small: 600, normal: 2_000, full: 10_000 });
  await broker.publish(invalid);
  await load.push(count);
  const bridge = await context.startBridge(broker.args);
  await awaitEvents(context, 50);
  context.require((await bridge.end('SIGTERM')) === 0, 'the bridge did not end with 0');
  context.recordFault('the bridge was stopped');
  const [left, { rejected }] = [await broker.countLeft(), await readCounts(context)];
  const stored = (await countEvents(context)) - rejected;
  context.require(
    left + stored + rejected === count + invalid.length,
    `${left} messages are unacknowledged, ${stored} events are stored`,
  );
  context.note(`stopped with ${left} of ${count} messages unacknowledged`);
  await context.startBridge(broker.args);
  await context.settle(load, { withinMs: 60_000 });
  await requireEmpty(context, broker);
  const { json } = await runCommand(['event', 'rejected'], context.env);
  const reasons = (json as { reason: string }[]).map(({ reason }) => reason);
  context.require(reasons.length === invalid.length, `${reasons.length} messages are rejected: ${reasons.join('; ')}`);
  for (const reason of ['is not JSON', 'is not UTF-8', 'must be an object', 'event must be one of', 'account_id'])
    context.require(
      reasons.some((text) => text.includes(reason)),
      `no message is rejected with "${reason}"`,
    );
}
