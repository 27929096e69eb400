import type { Cluster, Redis } from 'ioredis';
import { restoreKeysScript } from './bullmq-keys.js';

/** An event queue in Redis, with the client of its worker. */
export type RedisEventQueue = {
  client: Redis | Cluster;
  /** The prefix of all keys of the queue. */
  keyPrefix: string;
  /** Called with an error that names the restored keys. */
  onError: (error: Error) => void;
};

const restoreIntervalMs = 5_000;

/** Restores BullMQ's own keys that jobs have overwritten, now and every 5 s, until the returned function is called. */
export function startRestoringKeys(queue: RedisEventQueue): () => void {
  const restoreIfReady = () => {
    // While Redis is unavailable, commands would accumulate.
    if (queue.client.status === 'ready') restoreKeys(queue).catch(() => undefined);
  };
  restoreIfReady();
  const timer = setInterval(restoreIfReady, restoreIntervalMs).unref();
  return () => clearInterval(timer);
}

/** Restores BullMQ's own keys that jobs have overwritten. */
export async function restoreKeys({ client, keyPrefix, onError }: RedisEventQueue): Promise<void> {
  const restored: unknown = await client.eval(restoreKeysScript, 1, `${keyPrefix}meta`, keyPrefix);
  if (!Array.isArray(restored) || restored.length === 0) return;
  const names = restored.join(', ');
  onError(
    new Error(`BullMQ's own keys were overwritten, probably by jobs with these ids, and have been restored: ${names}`),
  );
}
