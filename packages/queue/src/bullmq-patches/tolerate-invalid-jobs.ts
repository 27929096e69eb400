import type { IQueueBackend } from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import { makeReadable } from './raw-job.js';
import { removeJobScript, restoreKeysScript } from './bullmq-keys.js';

/** BullMQ's private function that runs one of its scripts; `args` are the script's keys followed by its arguments. */
type ExecCommand = (client: unknown, command: string, args: unknown[]) => Promise<unknown>;

export type GuardOptions = {
  client: Redis | Cluster;
  /** The prefix of all keys of the queue. */
  keyPrefix: string;
  onError: (error: Error) => void;
};

const restoreIntervalMs = 5_000;
// Positions in the arguments of BullMQ 6.7's script moveToFinished (scripts/moveToFinished-14.js): KEYS[2], KEYS[12],
// ARGV[1].
const finishArgs = { activeKey: 1, jobKey: 11, jobId: 14 };
// Results of that script for a job that cannot finish because its children are pending (-4) or have failed (-9).
const unfinishableResults = new Set<unknown>([-4, -9]);
// Its result for a finished job when the script fetched no next one.
const finishedWithoutNext = 0;

const isReplyError = (error: unknown): error is Error => error instanceof Error && error.name === 'ReplyError';

/**
 * Makes BullMQ's backend of an ingress queue fetch and finish any job that a producer wrote. It replaces a private
 * member of BullMQ, whose version is pinned; hostile-jobs.test.ts checks the behaviour that it depends on.
 */
export function tolerateInvalidJobs(backend: IQueueBackend, options: GuardOptions): void {
  const { client, keyPrefix } = options;
  const execCommand = (Reflect.get(backend, 'execCommand') as ExecCommand).bind(backend);
  const removeJob = (args: unknown[]) => {
    const argument = (name: keyof typeof finishArgs) => String(args[finishArgs[name]]);
    return client.eval(removeJobScript, 2, argument('activeKey'), argument('jobKey'), argument('jobId'));
  };
  /** Runs a script. If it fails because one of BullMQ's keys was overwritten, restores the keys. */
  const execWithRestore: ExecCommand = async (scriptClient, command, args) => {
    try {
      return await execCommand(scriptClient, command, args);
    } catch (error) {
      if (!isReplyError(error)) throw error;
      const isOverwritten = error.message.includes('WRONGTYPE');
      // Another worker may have restored the keys already, so the script is repeated whatever this finds.
      if (isOverwritten) await restoreKeys(options);
      if (command !== 'moveToFinished') {
        if (isOverwritten) return execCommand(scriptClient, command, args);
        throw error;
      }
      // The failed script may have done part of its work, so it is not repeated: the job is removed instead.
      await removeJob(args);
      return finishedWithoutNext;
    }
  };
  const execGuarded: ExecCommand = async (scriptClient, command, args) => {
    const result = await execWithRestore(scriptClient, command, args);
    if (command !== 'moveToActive' && command !== 'moveToFinished') return result;
    if (!unfinishableResults.has(result)) return makeReadable(client, keyPrefix, result);
    await removeJob(args);
    return finishedWithoutNext;
  };
  Reflect.set(backend, 'execCommand', execGuarded);
}

/** Restores BullMQ's keys that jobs have overwritten, now and every 5 s, until the returned function is called. */
export function startRestoringKeys(options: GuardOptions): () => void {
  const restoreIfReady = () => {
    // While Redis is unavailable, commands would accumulate.
    if (options.client.status === 'ready') restoreKeys(options).catch(() => undefined);
  };
  restoreIfReady();
  const timer = setInterval(restoreIfReady, restoreIntervalMs).unref();
  return () => clearInterval(timer);
}

async function restoreKeys({ client, keyPrefix, onError }: GuardOptions): Promise<void> {
  const restored: unknown = await client.eval(restoreKeysScript, 1, `${keyPrefix}meta`, keyPrefix);
  if (!Array.isArray(restored) || restored.length === 0) return;
  const names = restored.join(', ');
  onError(
    new Error(`BullMQ's own keys were overwritten, probably by jobs with these ids, and have been restored: ${names}`),
  );
}
