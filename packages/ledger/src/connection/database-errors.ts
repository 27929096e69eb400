import { setTimeout as sleep } from 'node:timers/promises';
import { types } from 'node:util';
import { errorFields, isPostgresUnavailable, isUnavailableCode, type Logger, someCause } from '@ringback/process';
import { UnreadableSecretError } from './secrets.js';

// Codes of Prisma: it cannot reach the server or log in, waited too long for a connection, or its transaction ended.
const prismaCodes = /^(P1000|P1001|P1002|P1003|P1008|P1010|P1017|P2024|P2028|P2034|P2037)$/;
// If Prisma does not know the code of a PostgreSQL error, the code is only in Prisma's message.
const codeInMessage = /(?:Database error|Raw query failed)\. Code: `(\w+)`/;

/**
 * Whether a later retry may succeed: PostgreSQL is unavailable, full or read-only, refuses the user or the password, or
 * cancelled the statement; a partition is missing; or no key decrypts a secret. Also looks at the causes of the error,
 * up to four, at the errors of an AggregateError, and at the code in a message of Prisma.
 */
export function isTransientDatabaseError(error: unknown): boolean {
  return someCause(error, (cause) => {
    if (cause instanceof UnreadableSecretError || isMissingPartition(cause)) return true;
    if (/no partition of relation/i.test(cause.message) || isPostgresUnavailable(cause)) return true;
    const codes = ['code' in cause ? String(cause.code) : '', codeInMessage.exec(cause.message)?.[1] ?? ''];
    return codes.some((code) => prismaCodes.test(code) || isUnavailableCode(code));
  });
}

/** A check violation without a constraint: the row belongs to no partition. The message may be in any language. */
const isMissingPartition = (error: Error) =>
  'code' in error && error.code === '23514' && 'constraint' in error && error.constraint === undefined;

/** Whether PostgreSQL cancelled a statement, as it does after a timeout. Also examines the causes of the error. */
export function isStatementTimeout(error: unknown): boolean {
  if (!types.isNativeError(error)) return false;
  const isCancelled = 'code' in error && error.code === '57014';
  return isCancelled || codeInMessage.exec(error.message)?.[1] === '57014' || isStatementTimeout(error.cause);
}

/**
 * Whether PostgreSQL can never store the text: it is not UTF-8, contains NUL, or is too long for an index. Other errors
 * of class 22 may come from a defect in Ringback, so they do not count.
 */
export function isUnstorableTextError(error: unknown): boolean {
  return types.isNativeError(error) && 'code' in error && /^(22021|22P05|54000)$/.test(String(error.code));
}

/**
 * The process stopped before the operation succeeded. Another process gets the job, delivery or message of the
 * operation.
 */
export class StoppingError extends Error {
  override readonly name = 'StoppingError';
}

/**
 * Without this, an outage would use up attempts. Repeats an operation after transient errors
 * (`isTransientDatabaseError`), 0.1 to 2 s apart. Throws any other error, and a StoppingError when the process stops.
 */
export type RetryWhileUnavailable = <T>(operation: () => Promise<T>) => Promise<T>;

export type RetryOptions = {
  stopping: AbortSignal;
  log: Pick<Logger, 'warn'>;
  /** The name of the log event that warns of a wait. */
  logEvent: string;
  /** The shortest time between two warnings, and before the first one of an operation; 30 s when absent. */
  warnEveryMs?: number;
};

/**
 * Creates a function that repeats operations. After an operation has failed for `warnEveryMs`, the function logs
 * `logEvent`, at most one time in `warnEveryMs` for all operations.
 */
export function createRetryWhileUnavailable(options: RetryOptions): RetryWhileUnavailable {
  const { stopping, log, logEvent, warnEveryMs = 30_000 } = options;
  let warnedAtMonotonicMs = -Infinity;
  const warn = (error: unknown, startedAtMonotonicMs: number) => {
    const nowMonotonicMs = performance.now();
    const failingForMs = nowMonotonicMs - startedAtMonotonicMs;
    if (Math.min(failingForMs, nowMonotonicMs - warnedAtMonotonicMs) < warnEveryMs) return;
    warnedAtMonotonicMs = nowMonotonicMs;
    log.warn(logEvent, { seconds: Math.round(failingForMs / 1_000), ...errorFields(error) });
  };
  return async (operation) => {
    const startedAtMonotonicMs = performance.now();
    for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 2_000)) {
      try {
        return await operation();
      } catch (error) {
        if (!isTransientDatabaseError(error)) throw error;
        if (stopping.aborted) throw new StoppingError('stopping', { cause: error });
        warn(error, startedAtMonotonicMs);
        await sleep(waitMs, undefined, { signal: stopping }).catch(() => undefined);
      }
    }
  };
}
