import {
  type Database,
  findMigrationGap,
  isTransientDatabaseError,
  openDatabase,
  pingDatabase,
  requireMigrations,
  UnreadableSecretError,
  Waker,
} from '@ringback/ledger';
import { isQueueUnavailable, openQueues, type Queues } from '@ringback/queue';
import { completeEnvironment } from '@ringback/process/command-line';
import { errorFields, OperatorError, readConfig, requireReachable } from '@ringback/process';

export type Connections = { db: Database; queues: Queues; waker: Waker };

// Operators run commands while the database or Redis is slow, and can wait longer than the API.
const timeoutMs = 5_000;

/**
 * Runs a function with connections to the database and the queues, and closes them afterwards. Throws an OperatorError
 * if the database cannot be reached or lacks migrations, or if the function fails with an error that an operator can
 * fix.
 */
export async function withConnections<T>(run: (connections: Connections) => Promise<T>): Promise<T> {
  const config = readConfig(completeEnvironment(process.env), [
    'DATABASE_URL',
    'DATABASE_SCHEMA',
    'REDIS_URL',
    'QUEUE_PREFIX',
    'SECRETS_KEYS',
  ]);
  const ignore = () => {};
  const db = openDatabase({
    url: config.DATABASE_URL,
    schema: config.DATABASE_SCHEMA,
    secretKeys: config.SECRETS_KEYS,
    connections: 2,
    connectTimeoutMs: timeoutMs,
    onError: ignore,
  });
  const queues = openQueues({
    redisUrl: config.REDIS_URL,
    databaseUrl: config.DATABASE_URL,
    prefix: config.QUEUE_PREFIX,
    redisTimeoutMs: timeoutMs,
    onError: ignore,
  });
  const waker = new Waker(db, ignore);
  try {
    await reachDatabase(() => pingDatabase(db));
    await requireMigrations(db);
    return await run({ db, queues, waker }).catch(async (error: unknown) =>
      Promise.reject(await toOperatorError(error, db)),
    );
  } finally {
    await waker.close();
    await queues.close();
    await db.close();
  }
}

/** Runs a query. Throws an OperatorError if the database cannot be reached, and other errors unchanged. */
export function reachDatabase<T>(query: () => Promise<T>): Promise<T> {
  return requireReachable('DATABASE_URL', query, (error) => !isTransientDatabaseError(error));
}

const secretsKeyHint = 'run the command with the SECRETS_KEYS of the API and the workers';

/** Converts errors that an operator can fix to an OperatorError; returns other errors unchanged. */
async function toOperatorError(error: unknown, db: Database): Promise<unknown> {
  if (error instanceof UnreadableSecretError) return new OperatorError(`${error.message}; ${secretsKeyHint}`);
  const { error: reason } = errorFields(error);
  if (!isTransientDatabaseError(error) && !isQueueUnavailable(error)) {
    if (error instanceof OperatorError || !(await isMigratedByNewerRelease(db))) return error;
    return new OperatorError(`a newer release of Ringback has migrated the database; use its command line (${reason})`);
  }
  return new OperatorError(`the connection to the database or the queue was lost (${reason}); run the command again`);
}

/** Whether a newer release has migrated the database, whose tables this command line may not know. */
async function isMigratedByNewerRelease({ pool }: Database): Promise<boolean> {
  return findMigrationGap(pool).then(
    ({ newer }) => newer.length > 0,
    () => false,
  );
}
