import {
  createWaker,
  type Database,
  isDatabaseUnavailable,
  isTableMissing,
  noTables,
  openDatabase,
  pingDatabase,
  SecretError,
  type Waker,
} from '@ringback/database';
import { isQueueUnavailable, openQueues, type Queues } from '@ringback/queue';
import { errorFields, joinRunning, reach, readConfig, StartError } from '@ringback/runtime';

export type Connections = { db: Database; queues: Queues; waker: Waker };

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
  const queues = openQueues({
    redisUrl: config.REDIS_URL,
    databaseUrl: config.DATABASE_URL,
    prefix: config.QUEUE_PREFIX,
    onError: ignore,
  });
  const waker = createWaker(db, ignore);
  try {
    await reachDatabase(() => pingDatabase(db));
    return await act({ db, queues, waker }).catch((error: unknown) => Promise.reject(translate(error)));
  } finally {
    await waker.close();
    await queues.close();
    await db.close();
  }
}

/** Calls the database; throws a StartError when it cannot be reached, and leaves other errors as they are. */
export function reachDatabase<T>(call: () => Promise<T>): Promise<T> {
  return reach('DATABASE_URL', call, (error) => !isDatabaseUnavailable(error));
}

const giveKeys = 'run the command with the SECRETS_KEY of the API and the workers';

function translate(error: unknown): unknown {
  if (isTableMissing(error)) return new StartError(noTables);
  if (error instanceof SecretError) return new StartError(`${error.message}; ${giveKeys}`);
  if (!isDatabaseUnavailable(error) && !isQueueUnavailable(error)) return error;
  const { error: reason } = errorFields(error);
  return new StartError(`the database or the queue went away (${reason}); the command can be repeated`);
}
