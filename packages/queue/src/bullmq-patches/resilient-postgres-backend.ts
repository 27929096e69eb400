import { types } from 'node:util';
import { createPostgresBackend } from 'bullmq';
import type pg from 'pg';
import { closeWhenReadOnly, isNetworkErrorCode, isServerUnavailable, SessionClient } from '@ringback/process';

const transientCodes = /^(25P03|57014|40P01|40001)$/;
const transientMessages =
  /connection terminated|timeout exceeded when trying to connect|connection ended|not queryable|query read timeout/i;

/**
 * Replaces a transient error by one with the code ECONNREFUSED, whose `cause` is the original. BullMQ takes only such
 * an error for a connection error and retries. After any other error it would count a finished job as a failed attempt.
 */
function asRetryable(error: unknown): unknown {
  if (!types.isNativeError(error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const isUnavailable = transientCodes.test(code) || isServerUnavailable(code) || isNetworkErrorCode(code);
  if (!isUnavailable && !transientMessages.test(error.message)) return error;
  return Object.assign(new Error(error.message, { cause: error }), { code: 'ECONNREFUSED' });
}

/** The connection on which a worker of BullMQ listens for jobs. */
class ListeningClient extends SessionClient {
  constructor(config?: pg.ClientConfig) {
    super(config);
    this.once('connect', () => closeWhenReadOnly(this));
  }
}

/**
 * Creates BullMQ's PostgreSQL backend with two changes for outages: BullMQ retries after every transient error, and the
 * backend connects again after its first connection failed. Without the second change, BullMQ would fail for ever. The
 * function replaces private members of BullMQ, whose version is pinned; postgres-engine.test.ts checks the result by
 * restarting the server.
 */
export const createResilientBackend: typeof createPostgresBackend = (name, options, backendOptions) => {
  const backend = createPostgresBackend(name, options, backendOptions);
  const { connection } = backend;
  const query = connection.pool.query.bind(connection.pool);
  const queryWithRetryableErrors = (...args: Parameters<typeof query>) =>
    query(...args).catch((error: unknown) => Promise.reject(asRetryable(error)));
  Reflect.set(connection.pool, 'query', queryWithRetryableErrors);
  Reflect.set(connection, 'pgModule', { Client: ListeningClient });
  retryFailedStart(connection);
  retryFailedStart(backend);
  return backend;
};

/**
 * Makes the next call connect again after the first connection failed. BullMQ would return the same failure for ever.
 */
function retryFailedStart(owner: { waitUntilReady(): Promise<void> }): void {
  const wait = owner.waitUntilReady.bind(owner);
  owner.waitUntilReady = () =>
    wait().catch((error: unknown) => {
      Reflect.set(owner, 'readyPromise', undefined);
      throw asRetryable(error);
    });
}
