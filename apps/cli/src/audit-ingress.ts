import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding } from '@ringback/database';
import { ingressQueues, type QueueName, type Queues } from '@ringback/queue';

type Looking = Pick<Queues, 'ingressState' | 'ingressTimes'>;

const stillMs = 60_000;
const lookAgainMs = 3_000;

/** What keeps the events in the ingress queues from being taken in. Looks twice, 3 s apart, where a job seems old. */
export async function findIngressFaults(queues: Looking): Promise<Finding[]> {
  const all = await Promise.all(Object.values(ingressQueues).map((name) => findFaults(queues, name)));
  return all.flat();
}

async function findFaults(queues: Looking, name: QueueName): Promise<Finding[]> {
  const finding = (problem: string): Finding => ({ kind: 'queue', id: name, problem });
  const before = await queues.ingressState(name);
  const [isNextOld, isActiveOld] = await Promise.all([
    isOld(queues, name, before.next, 'pushedAt'),
    isOld(queues, name, before.active, 'takenAt'),
  ]);
  if (isNextOld || isActiveOld) await sleep(lookAgainMs);
  const after = isNextOld || isActiveOld ? await queues.ingressState(name) : before;
  const stays = isNextOld && after.next === before.next;
  const hangs = isActiveOld && after.active === before.active;
  return [
    ...before.obstacles.map(finding),
    ...(stays ? [finding(`stands still: ${after.waiting} events wait, and none is taken in`)] : []),
    ...(hangs ? [finding(`a worker took the job ${after.active} more than a minute ago and did not finish it`)] : []),
  ];
}

/** Whether a job is older than a minute, by the clock of its pusher or its worker. A time that cannot be true is old. */
async function isOld(
  queues: Looking,
  name: QueueName,
  jobId: string | null,
  since: 'pushedAt' | 'takenAt',
): Promise<boolean> {
  if (jobId === null) return false;
  const at = (await queues.ingressTimes(name, jobId))?.[since];
  return at === undefined || !(Math.abs(Date.now() - at) < stillMs);
}
