import { awaitState } from '../await-state.js';
import type { Broker } from '../brokers/broker.js';
import type { RabbitmqBroker } from '../brokers/rabbitmq.js';
import { countLockWaits, withLockedTable } from '../lock-table.js';
import type { Program } from '../program.js';
import type { ScenarioContext } from '../scenario.js';
import { awaitEvents, createBrokerLoad, requireEmpty } from './bridge-load.js';

/** Stops a bridge while its connection breaks, and another one that cannot store its messages in time. */
export async function runEnds(context: ScenarioContext, broker: Broker): Promise<void> {
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
export async function runRefusals(context: ScenarioContext, broker: RabbitmqBroker): Promise<void> {
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
