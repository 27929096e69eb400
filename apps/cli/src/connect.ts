import { type Database, openDatabase } from '@ringback/database';
import { openQueues, type Queues } from '@ringback/queue';
import { joinRunning, readConfig } from '@ringback/runtime';

export type Connections = { db: Database; queues: Queues };

const root = new URL('../../../', import.meta.url);

/** Runs an act with the database and the queues open, and closes them whatever happens. */
export async function withConnections<T>(act: (connections: Connections) => Promise<T>): Promise<T> {
  const config = readConfig(joinRunning(process.env, root), ['DATABASE_URL', 'REDIS_URL', 'QUEUE_PREFIX', 'SECRETS_KEY']);
  const ignore = () => {};
  const db = openDatabase({ url: config.DATABASE_URL, secretKeys: config.SECRETS_KEY, connections: 2, onError: ignore });
  const where = { redisUrl: config.REDIS_URL, databaseUrl: config.DATABASE_URL, prefix: config.QUEUE_PREFIX };
  const queues = openQueues({ ...where, onError: ignore });
  try {
    return await act({ db, queues });
  } finally {
    await queues.close();
    await db.close();
  }
}
