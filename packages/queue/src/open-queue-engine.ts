import { openPostgresEngine } from './postgres/postgres-engine.js';
import type { QueueEngine } from './queue-engine.js';
import { openRedisEngine } from './redis/redis-engine.js';

export type QueueSettings = {
  /** If absent or empty, the queues are in PostgreSQL. */
  redisUrl?: string | undefined;
  databaseUrl: string;
  /** BullMQ's key prefix in Redis, or the name of its schema in PostgreSQL. */
  prefix: string;
  /** How long a command waits for Redis, 1 s by default. */
  redisTimeoutMs?: number;
};

/** Opens the queue engine. Only this function chooses between Redis and PostgreSQL. */
export function openQueueEngine({ redisUrl, databaseUrl, prefix, redisTimeoutMs }: QueueSettings): QueueEngine {
  return redisUrl
    ? openRedisEngine({ redisUrl, prefix, redisTimeoutMs })
    : openPostgresEngine({ databaseUrl, schema: prefix });
}
