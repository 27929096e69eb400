import { awaitState } from '../await-state.js';
import type { KafkaBroker } from '../brokers/kafka.js';
import { readCounts } from '../ledger.js';
import type { ScenarioContext } from '../scenario.js';
import { awaitEvents, createBrokerLoad, requireEmpty } from './bridge-load.js';

/** The client library caches the coordinator of a group, so the bridge must detect that another broker took over. */
export async function runMove(context: ScenarioContext, broker: KafkaBroker): Promise<void> {
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

export async function runChanges(context: ScenarioContext, broker: KafkaBroker): Promise<void> {
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
