import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker, BrokerMessage, BrokerName } from '../brokers/broker.js';
import { hasJava, type KafkaBroker, startKafka } from '../brokers/kafka.js';
import { hasRabbitmq, type RabbitmqBroker, startRabbitmq } from '../brokers/rabbitmq.js';
import { countLockWaits, withLockedTable } from '../postgres.js';
import { type Program, runCommand } from '../program.js';
import { awaitState, type Scenario, type ScenarioContext } from '../scenario.js';
import { readCounts } from '../settle.js';
import { awaitEvents, countEvents, createBrokerLoad, requireEmpty } from './bridge-load.js';
import { runMaps } from './bridge-maps.js';
import { runOutcomes } from './outcomes.js';

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
    {
      name: `bridge-maps-${name}`,
      title: `messages of another shape from ${name} are tried without being taken, mapped, and retried with a corrected map`,
      ...options,
      run: onBroker(start, runMaps),
    },
    {
      name: `outcomes-kills-${name}`,
      title: `a publisher of outcomes to ${name} is killed repeatedly, the broker too: no row is missing, few are repeated`,
      ...options,
      run: onBroker(start, runOutcomes),
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

/** The client library caches the coordinator of a group, so the bridge must detect that another broker took over. */
async function runMove(context: ScenarioContext, broker: KafkaBroker): Promise<void> {
  const count = context.bySize({ small: 600, normal: 2_000, full: 10_000 });
  await context.startWorker();
  await context.startBridge(broker.args);
  const load = createBrokerLoad(context, broker);
  const publishing = load.push(count, { batch: count / 20 });
  await awaitEvents(context, count * 0.1);
  context.recordFault(`broker ${await broker.killCoordinator()}, the coordinator of the group, was killed`);
  await publishing;
  await load.push(20);
  await context.settle(load, { withinMs: 120_000 });
  await requireEmpty(context, broker);
}

async function runChanges(context: ScenarioContext, broker: KafkaBroker): Promise<void> {
  await context.startWorker();
  const bridge = await context.startBridge(broker.args);
  const load = createBrokerLoad(context, broker);
  await broker.publish([{ body: '{"payload":{"id":"1"}}', event: null }]);
  context.recordFault('a header without a value');
  await load.push(20);
  await context.settle(load);
  const { rejected } = await readCounts(context);
  context.require(rejected === 1, `${rejected} messages are rejected instead of 1`);
  context.require(!bridge.output().includes('bridge.disconnected'), 'the header closed the connection of the bridge');

  await broker.addPartitions(3);
  context.recordFault('three partitions were added to the topic');
  await load.push(20);
  // The bridge looks for new partitions every minute.
  await context.settle(load, { withinMs: 150_000 });
  await requireEmpty(context, broker);

  await bridge.end('SIGTERM');
  await broker.setOffsets(1_000_000n);
  context.recordFault("the group's offsets are beyond the end of the partitions");
  const next = await context.startBridge(broker.args);
  await load.push(20);
  await context.settle(load, { withinMs: 60_000 });
  await awaitState('no message is unacknowledged', async () => (await broker.countLeft()) === 0, { everyMs: 500 });
  context.require(
    next.output().includes('the group continues with the oldest message'),
    'the bridge logged no warning about the offsets',
  );
}

/** Stops a bridge while its connection breaks, and another one that cannot store its messages in time. */
async function runEnds(context: ScenarioContext, broker: Broker): Promise<void> {
  await context.startWorker();
  const load = createBrokerLoad(context, broker);
  await load.push(20);
  const [, url = '', ...options] = broker.args;
  const proxy = await context.startProxy(url);
  const bridge = await context.startBridge(['--from', proxy.proxyUrlFor(url), ...options]);
  await awaitEvents(context, 20);
  // The client library sends this text when it closes a channel.
  const broken = proxy.breakAt({ text: 'Goodbye', when: 'before' });
  const ending = await bridge.end('SIGTERM');
  context.require(ending === 0, `a bridge whose connection broke during its stop ended with ${ending}`);
  await broken;
  context.recordFault('the connection broke while the bridge stopped');

  const blocked = await context.startBridge(broker.args);
  await withLockedTable(context, 'events', () => stopBlocked(context, blocked, () => load.push(20)));
  await context.startBridge(broker.args);
  await context.settle(load);
  await requireEmpty(context, broker);
}

async function stopBlocked(context: ScenarioContext, bridge: Program, push: () => Promise<void>): Promise<void> {
  await push();
  await awaitState('a statement waits for the lock', async () => (await countLockWaits(context, 'events')) > 0);
  context.recordFault('the table of events is locked');
  const ending = await bridge.end('SIGTERM');
  context.require(ending === 1, `a bridge that could not store its messages ended with ${ending}`);
  context.require(bridge.output().includes('bridge.unfinished'), 'the bridge logged no bridge.unfinished');
}

/** Starts bridges that RabbitMQ refuses, and one whose password is not ASCII. */
async function runRefusals(context: ScenarioContext, broker: RabbitmqBroker): Promise<void> {
  await context.startWorker();
  const load = createBrokerLoad(context, broker);
  await load.push(20);
  broker.addUser({ name: 'reader', password: 'pä@ss', mayRead: true });
  broker.addUser({ name: 'stranger', password: 's3cret', mayRead: false });
  await broker.addStream('stream');
  const [, url = '', , queue = ''] = broker.args;
  const asUser = (username: string, password: string) => Object.assign(new URL(url), { username, password }).href;
  const refusals = [
    { url: asUser('guest', 's3cret'), queue, line: 'ACCESS_REFUSED - Login was refused' },
    { url: `${asUser('guest', 'guest')}/none`, queue, line: 'the virtual host does not exist' },
    { url: asUser('guest', 'guest'), queue: 'none', line: 'RabbitMQ has no queue none (--queue)' },
    {
      url: asUser('guest', 'guest'),
      queue: 'stream',
      line: 'the queue of --queue is a RabbitMQ stream, which the bridge cannot read',
    },
    { url: asUser('stranger', 's3cret'), queue, line: 'the user needs permission to read it' },
  ];
  for (const { url: from, queue: name, line } of refusals) {
    const output = await context.startBridge(['--from', from, '--queue', name]).then(
      (bridge) => `nothing, and started: ${bridge.output()}`,
      (error: Error) => error.message,
    );
    context.require(
      output.includes('ended with 1') && output.includes(line),
      `instead of "${line}", a bridge printed ${output}`,
    );
    context.require(!output.includes('s3cret'), `a bridge printed its password: ${output}`);
    context.recordFault(`RabbitMQ refuses a bridge: ${line}`);
  }
  await context.startBridge(['--from', asUser('reader', encodeURIComponent('pä@ss')), '--queue', queue]);
  await context.settle(load);
  await requireEmpty(context, broker);
}
