import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding } from '@ringback/ledger';
import { eventQueues, type QueueName, type Queues } from '@ringback/queue';

type EventQueues = Pick<Queues, 'readEventQueueState' | 'readEventJobTimes'>;

const oldAfterMs = 60_000;
const recheckAfterMs = 3_000;

/**
 * Finds event queues that are paused, limited, overwritten or stalled. If the next waiting job or the longest active
 * job is old, the queue counts as stalled if that job is still the same after 3 s.
 */
export async function auditEventQueues(queues: EventQueues): Promise<Finding[]> {
  const all = await Promise.all(Object.values(eventQueues).map((name) => findFaults(queues, name)));
  return all.flat();
}

async function findFaults(queues: EventQueues, name: QueueName): Promise<Finding[]> {
  const finding = (problem: string): Finding => ({ kind: 'queue', id: name, problem });
  const before = await queues.readEventQueueState(name);
  const [isNextOld, isActiveOld] = await Promise.all([
    isOld(queues, name, before.next, 'pushedAt'),
    isOld(queues, name, before.active, 'fetchedAt'),
  ]);
  if (isNextOld || isActiveOld) await sleep(recheckAfterMs);
  const after = isNextOld || isActiveOld ? await queues.readEventQueueState(name) : before;
  const isStalled = isNextOld && after.next === before.next;
  const hasHungJob = isActiveOld && after.active === before.active;
  return [
    ...before.fetchBlockers.map(finding),
    ...(isStalled ? [finding(`is stalled: ${after.waiting} events wait and none is ingested`)] : []),
    ...(hasHungJob ? [finding(`a worker fetched the job ${after.active} and does not finish it`)] : []),
  ];
}

/**
 * Whether a job's `pushedAt` or `fetchedAt` is at least a minute in the past, at least a minute in the future, or
 * absent. False if there is no job.
 */
async function isOld(
  queues: EventQueues,
  name: QueueName,
  jobId: string | null,
  timeField: 'pushedAt' | 'fetchedAt',
): Promise<boolean> {
  if (jobId === null) return false;
  const time = (await queues.readEventJobTimes(name, jobId))?.[timeField];
  return time === undefined || !(Math.abs(Date.now() - time) < oldAfterMs);
}
