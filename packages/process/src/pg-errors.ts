import { types } from 'node:util';
import { isNetworkErrorCode } from './network.js';

/**
 * An SQLSTATE that means that the server or the database is not available now (it is shut down, starting, full or
 * read-only, or refuses the user or the password, as while the password is being changed), or that it ended the
 * statement or transaction: it took too long, or was in conflict with others.
 */
const unavailableStates = /^(57P0\w|08\w{3}|53\w{3}|25006|28P01|28000|3D000|25P03|57014|40P01|40001|55P03)$/;

// Errors of pg itself, which have no code.
const unavailableMessages =
  /connection terminated|connection ended|after calling end on the pool|timeout exceeded when trying to connect|query read timeout|not queryable|^SASL: /i;

/** Whether the code of an error, an SQLSTATE or one of the network, says that a later try may succeed. */
export const isUnavailableCode = (code: string): boolean => unavailableStates.test(code) || isNetworkErrorCode(code);

/** Whether an error of pg, without its causes, says that PostgreSQL is unavailable. A later try may then succeed. */
export const isPostgresUnavailable = (error: Error): boolean =>
  unavailableMessages.test(error.message) || ('code' in error && isUnavailableCode(String(error.code)));

/** Whether an error, one of its causes (up to four), or one of the errors that they aggregate fulfils a condition. */
export function someCause(error: unknown, fulfils: (cause: Error) => boolean): boolean {
  for (let cause: unknown = error, depth = 0; types.isNativeError(cause) && depth < 5; cause = cause.cause, depth++) {
    if (fulfils(cause)) return true;
    if ('errors' in cause && Array.isArray(cause.errors) && cause.errors.some((one) => someCause(one, fulfils)))
      return true;
  }
  return false;
}
