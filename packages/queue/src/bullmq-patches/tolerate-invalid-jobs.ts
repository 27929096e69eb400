import { removeJobScript } from './bullmq-keys.js';
import type { ExecCommand } from './exec-command.js';
import { makeJobReadable } from './make-job-readable.js';
import { type RedisEventQueue, restoreKeys } from './restore-keys.js';

// Indexes in the arguments of BullMQ 6.7's script moveToFinished (scripts/moveToFinished-14.js): KEYS[2], KEYS[12],
// ARGV[1].
const finishArgs = { activeKey: 1, jobKey: 11, jobId: 14 };
// Results of that script for a job that cannot finish because its children are pending (-4) or have failed (-9).
const unfinishableResults = new Set<unknown>([-4, -9]);
// Its result for a finished job when the script fetched no next one.
const finishedWithoutNext = 0;

const isReplyError = (error: unknown): error is Error => error instanceof Error && error.name === 'ReplyError';

/**
 * Wraps BullMQ's `execCommand` so that it fetches and finishes every job, even a malformed one or one whose id
 * overwrites a BullMQ key. A job that BullMQ cannot finish is removed. hostile-jobs.test.ts checks the behaviour of
 * BullMQ that this depends on.
 */
export function tolerateInvalidJobs(exec: ExecCommand, queue: RedisEventQueue): ExecCommand {
  const removeJob = (args: unknown[]) => {
    const argument = (name: keyof typeof finishArgs) => String(args[finishArgs[name]]);
    return queue.client.eval(removeJobScript, 2, argument('activeKey'), argument('jobKey'), argument('jobId'));
  };
  /**
   * Runs a script. If Redis refuses the script because one of BullMQ's keys was overwritten, restores the keys and runs
   * the script again. If Redis refuses `moveToFinished` for any reason, removes the job instead.
   */
  const execWithRestore: ExecCommand = async (client, script, args) => {
    try {
      return await exec(client, script, args);
    } catch (error) {
      if (!isReplyError(error)) throw error;
      const isKeyOverwritten = error.message.includes('WRONGTYPE');
      if (isKeyOverwritten) await restoreKeys(queue);
      if (script === 'moveToFinished') {
        // The failed script may have done part of its work, so it is not repeated: the job is removed instead.
        await removeJob(args);
        return finishedWithoutNext;
      }
      // This also happens if `restoreKeys` found nothing to restore: another worker may have restored the keys first.
      if (isKeyOverwritten) return exec(client, script, args);
      throw error;
    }
  };
  return async (client, script, args) => {
    const reply = await execWithRestore(client, script, args);
    if (script !== 'moveToActive' && script !== 'moveToFinished') return reply;
    if (!unfinishableResults.has(reply)) return makeJobReadable(queue.client, queue.keyPrefix, reply);
    await removeJob(args);
    return finishedWithoutNext;
  };
}
