import type { IQueueBackend } from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import { toReadable } from './raw-job.js';
import { forgetInLua, repairInLua } from './reserved-keys.js';

type Exec = (client: unknown, command: string, words: unknown[]) => Promise<unknown>;

export type GuardOptions = {
  client: Redis | Cluster;
  /** The prefix of all keys of the queue. */
  keyPrefix: string;
  onError: (error: Error) => void;
};

const repairIntervalMs = 5_000;
// BullMQ's results for a job that cannot finish because its children are pending (-4) or have failed (-9).
const unfinishableResults = new Set<unknown>([-4, -9]);
const isReply = (error: unknown): error is Error => error instanceof Error && error.name === 'ReplyError';

/**
 * Makes BullMQ's backend of an ingress queue take and finish any job that a producer wrote. It replaces a private member of
 * BullMQ, whose version is pinned; hostile-jobs.test.ts checks the behaviour that it depends on.
 */
export function guardIngress(backend: IQueueBackend, { client, keyPrefix, onError }: GuardOptions): void {
  const exec = (Reflect.get(backend, 'execCommand') as Exec).bind(backend);
  const forget = (words: unknown[]) => {
    const [active, job, id] = [words[1], words[11], words[14]].map(String) as [string, string, string];
    return client.eval(forgetInLua, 2, active, job, id);
  };
  const run: Exec = async (on, command, words) => {
    try {
      return await exec(on, command, words);
    } catch (error) {
      if (!isReply(error)) throw error;
      const isOverwritten = error.message.includes('WRONGTYPE');
      // Another worker may have freed the keys.
      if (isOverwritten) await freeKeys({ client, keyPrefix, onError });
      // A failed script may have done part of its work, so a script that finishes a job does not run twice.
      if (command !== 'moveToFinished') {
        if (isOverwritten) return exec(on, command, words);
        throw error;
      }
      await forget(words);
      return 0;
    }
  };
  const guarded: Exec = async (on, command, words) => {
    const result = await run(on, command, words);
    if (command !== 'moveToActive' && command !== 'moveToFinished') return result;
    if (!unfinishableResults.has(result)) return toReadable(client, keyPrefix, result);
    await forget(words);
    return 0;
  };
  Reflect.set(backend, 'execCommand', guarded);
}

/** Frees the keys of BullMQ that jobs have overwritten, now and every second, until the returned function is called. */
export function startFreeingKeys(guarding: GuardOptions): () => void {
  const freeIfReady = () => {
    // While Redis is away, commands would accumulate.
    if (guarding.client.status === 'ready') freeKeys(guarding).catch(() => undefined);
  };
  freeIfReady();
  const timer = setInterval(freeIfReady, repairIntervalMs).unref();
  return () => clearInterval(timer);
}

async function freeKeys({ client, keyPrefix, onError }: GuardOptions): Promise<void> {
  const freed: unknown = await client.eval(repairInLua, 1, `${keyPrefix}meta`, keyPrefix);
  if (!Array.isArray(freed) || freed.length === 0) return;
  onError(
    new Error(`keys of BullMQ were overwritten, maybe by jobs with these ids, and are free again: ${freed.join(', ')}`),
  );
}
