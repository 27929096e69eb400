import type { Queues } from '@ringback/queue';
import { errorFields, type Fail, type Logger, StartError } from '@ringback/runtime';
import type { Consumer } from './consumers.js';

const everyMs = 10_000;
const stuckAfterMs = 30_000;

export type WatchdogDeps = { queues: Pick<Queues, 'waiting'>; consumers: Consumer[]; log: Logger; fail: Fail };

/**
 * Looks for consumers that take nothing for 30 s while jobs wait, which has happened to BullMQ's workers after a
 * reconnect. Such a one is opened anew, and when that does not help, the process ends and is started again by whoever
 * runs it. Runs until the returned function is called.
 */
export function startWatchdog({ queues, consumers, log, fail }: WatchdogDeps): () => void {
  const reopened = new Set<Consumer>();
  const look = async (consumer: Consumer) => {
    if (consumer.idleForMs() < stuckAfterMs) return void reopened.delete(consumer);
    if ((await queues.waiting(consumer.queue)) === 0) return;
    if (reopened.has(consumer))
      return fail(new StartError(`the queue ${consumer.queue} has jobs and gives none; starting anew`));
    log.error('consumer.stuck', { queue: consumer.queue });
    reopened.add(consumer);
    consumer.reopen();
  };
  const round = () => Promise.all(consumers.map(look));
  const timer = setInterval(() => {
    round().catch((error: unknown) => log.error('watchdog.failed', errorFields(error)));
  }, everyMs);
  return () => clearInterval(timer);
}
