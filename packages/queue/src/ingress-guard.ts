import type { IQueueBackend } from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import { toReadable } from './raw-job.js';
import { forgetInLua, repairInLua } from './reserved-keys.js';

type Exec = (client: unknown, command: string, words: unknown[]) => Promise<unknown>;

export type Guarding = {
  client: Redis | Cluster;
  /** What the names of all keys of the queue begin with. */
  keys: string;
  onError: (error: Error) => void;
};

const repairEveryMs = 5_000;
// What BullMQ answers when a job that is to be finished waits for its children, or has children that failed.
const unfinishable = new Set<unknown>([-4, -9]);
const isReply = (error: unknown): error is Error => error instanceof Error && error.name === 'ReplyError';

/**
 * Lets BullMQ's backend of an ingress queue take and finish whatever a producer wrote. Touches private members of
 * BullMQ, whose version is pinned; hostile-jobs.test.ts holds what is relied on.
 */
export function guardIngress(backend: IQueueBackend, { client, keys, onError }: Guarding): void {
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
      // Another worker may have been faster.
      if (isOverwritten) await freeKeys({ client, keys, onError });
      // A script that failed may have done a part of its work: one that finishes a job is not run again.
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
    if (!unfinishable.has(result)) return toReadable(client, keys, result);
    await forget(words);
    return 0;
  };
  Reflect.set(backend, 'execCommand', guarded);
}

/** Frees the keys of BullMQ that a job has overwritten, now and every 5 s, until the returned function is called. */
export function startFreeingKeys(guarding: Guarding): () => void {
  const look = () => {
    // While Redis is away, commands would pile up.
    if (guarding.client.status === 'ready') freeKeys(guarding).catch(() => undefined);
  };
  look();
  const timer = setInterval(look, repairEveryMs).unref();
  return () => clearInterval(timer);
}

async function freeKeys({ client, keys, onError }: Guarding): Promise<void> {
  const freed: unknown = await client.eval(repairInLua, 1, `${keys}meta`, keys);
  if (!Array.isArray(freed) || freed.length === 0) return;
  onError(
    new Error(`keys of BullMQ were overwritten, maybe by jobs with these ids, and are free again: ${freed.join(', ')}`),
  );
}
