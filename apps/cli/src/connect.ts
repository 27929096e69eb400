import { type Database, isDatabaseUnavailable, openDatabase, pingDatabase } from '@ringback/database';
import { isQueueUnavailable, openQueues, type Queues } from '@ringback/queue';
import { explain, joinRunning, readConfig, StartError } from '@ringback/runtime';

export type Connections = { db: Database; queues: Queues };

export const root = new URL('../../../', import.meta.url);

/** Runs an act with the database and the queues open, and closes them whatever happens. */
export async function withConnections<T>(act: (connections: Connections) => Promise<T>): Promise<T> {
  const config = readConfig(joinRunning(process.env, root), [
    'DATABASE_URL',
    'REDIS_URL',
    'QUEUE_PREFIX',
    'SECRETS_KEY',
  ]);
  const ignore = () => {};
  const db = openDatabase({
    url: config.DATABASE_URL,
    secretKeys: config.SECRETS_KEY,
    connections: 2,
    onError: ignore,
  });
  const where = { redisUrl: config.REDIS_URL, databaseUrl: config.DATABASE_URL, prefix: config.QUEUE_PREFIX };
  const queues = openQueues({ ...where, onError: ignore });
  try {
    await reach(() => pingDatabase(db));
    return await act({ db, queues }).catch((error: unknown) => Promise.reject(translate(error)));
  } finally {
    await queues.close();
    await db.close();
  }
}

/** Says in one line that the database cannot be reached, when that is what is wrong. */
export async function reach<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    throw new StartError(`DATABASE_URL: cannot be reached (${reasonOf(error)})`);
  }
}

const reasonOf = (error: unknown) => explain(error).replace(/^ringback: /, '');

function translate(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'P2021' || code === '42P01')
    return new StartError('the database has no tables yet; run `ringback migrate`');
  if (!isDatabaseUnavailable(error) && !isQueueUnavailable(error)) return error;
  return new StartError(`the database or the queue went away (${reasonOf(error)}); the command can be repeated`);
}
