import { openDatabase } from '@ringback/ledger';

import { Redis } from 'ioredis';

const tables = `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
  WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`;

/** Returns all rows of all tables of the database as text, including those of the queue. */
export async function readAllRows(url: string): Promise<string> {
  const db = openDatabase({ url, connections: 1, connectTimeoutMs: 60_000 });
  try {
    const texts: string[] = [];
    for (const { name } of (await db.pool.query<{ name: string }>(tables)).rows) {
      const { rows } = await db.pool.query<{ text: string }>(`SELECT row_to_json(t)::text AS text FROM ${name} t`);
      texts.push(...rows.map(({ text }) => `${name} ${text}`));
    }
    return texts.join('\n');
  } finally {
    await db.close();
  }
}

/** Returns all keys of a Redis server that begin with the prefix, with their values, as text. */
export async function readAllKeys(url: string, prefix: string): Promise<string> {
  const redis = new Redis(url);
  try {
    const texts: string[] = [];
    for await (const keys of redis.scanStream({ match: `${prefix}*`, count: 1_000 })) {
      for (const key of keys) texts.push(`${key} ${JSON.stringify(await readKey(redis, key))}`);
    }
    return texts.join('\n');
  } finally {
    redis.disconnect();
  }
}

async function readKey(redis: Redis, key: string): Promise<unknown> {
  const readers: Record<string, () => Promise<unknown>> = {
    string: () => redis.get(key),
    hash: () => redis.hgetall(key),
    list: () => redis.lrange(key, 0, -1),
    set: () => redis.smembers(key),
    zset: () => redis.zrange(key, '0', '-1', 'WITHSCORES'),
    stream: () => redis.xrange(key, '-', '+'),
    none: () => Promise.resolve(null),
  };
  const type = await redis.type(key);
  const read = readers[type];
  if (!read) throw new Error(`${key}: cannot read the type ${type}`);
  return read();
}
