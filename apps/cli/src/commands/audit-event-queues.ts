import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding } from '@ringback/ledger';
import { eventQueues, type QueueHealth, type QueueName, type Queues } from '@ringback/queue';

type EventQueues = Pick<Queues, 'readHealth'>;

const oldAfterMs = 60_000;
const recheckAfterMs = 3_000;

/**
 * Finds event queues that are paused, limited or stuck. If the oldest waiting job is old, the queue counts as stuck if
 * that job still waits after 3 s.
 */
export async function auditEventQueues(queues: EventQueues): Promise<Finding[]> {
  const all = await Promise.all(Object.values(eventQueues).map((name) => findFaults(queues, name)));
  return all.flat();
}

async function findFaults(queues: EventQueues, name: QueueName): Promise<Finding[]> {
  const finding = (problem: string): Finding => ({ kind: 'queue', id: name, problem });
  const { limits, ...before } = await queues.readHealth(name);
  return [...limits.map(finding), ...((await isStuck(queues, name, before)) ? [finding(describe(before))] : [])];
}

async function isStuck(
  queues: EventQueues,
  name: QueueName,
  { oldestWaitingAt: before }: Pick<QueueHealth, 'oldestWaitingAt'>,
): Promise<boolean> {
  // A producer's clock may be wrong in both directions.
  if (before === null || Math.abs(Date.now() - before.getTime()) < oldAfterMs) return false;
  await sleep(recheckAfterMs);
  return (await queues.readHealth(name)).oldestWaitingAt?.getTime() === before.getTime();
}

const describe = ({ waiting }: Pick<QueueHealth, 'waiting'>) => `is stuck: ${waiting} events wait and none is taken in`;
