import type { IQueueBackend } from 'bullmq';
import type { ExecCommand } from './exec-command.js';
import type { ReplyTracker } from './reply-tracker.js';
import type { RedisEventQueue } from './restore-keys.js';
import { tolerateInvalidJobs } from './tolerate-invalid-jobs.js';

/**
 * Patches BullMQ's backend of an event queue in Redis, so that it handles invalid jobs and reports to a tracker. This
 * replaces a private member of BullMQ, whose version is pinned. The tracker comes last: it observes the replies that
 * BullMQ gets, not those that `tolerateInvalidJobs` replaces.
 */
export function patchEventQueueBackend(backend: IQueueBackend, queue: RedisEventQueue, tracker: ReplyTracker): void {
  const execCommand = (Reflect.get(backend, 'execCommand') as ExecCommand).bind(backend);
  Reflect.set(backend, 'execCommand', tracker.observeReplies(tolerateInvalidJobs(execCommand, queue)));
  backend.waitForJob = tracker.observeWaits(backend.waitForJob.bind(backend));
}
