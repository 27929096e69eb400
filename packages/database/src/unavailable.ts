import { types } from 'node:util';
import { SecretError } from './secrets.js';

const codes =
  /^(25P03|57014|57P0[123]|08\w{3}|53\d{3}|25006|3D000|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|P1001|P1002|P1008|P1017|P2024|P2028|P2037)$/;
const words =
  /connection terminated|timeout exceeded when trying to connect|connection ended|not queryable|after calling end on the pool|query read timeout/i;
// Prisma tells an error of PostgreSQL that it has no name for in its message.
const unnamed = /Database error\. Code: `(\w+)`/;

/**
 * Whether an error says that PostgreSQL is away, full or read-only, or holds a secret that we have no key for, rather
 * than that we asked for something wrong: trying again later may succeed. Looks through causes and driver-adapter errors.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let link: unknown = error, depth = 0; types.isNativeError(link) && depth < 5; link = link.cause, depth++) {
    if (link instanceof SecretError || words.test(link.message)) return true;
    if ('code' in link && typeof link.code === 'string' && codes.test(link.code)) return true;
    if (codes.test(unnamed.exec(link.message)?.[1] ?? '')) return true;
    if ('errors' in link && Array.isArray(link.errors) && link.errors.some(isDatabaseUnavailable)) return true;
  }
  return false;
}

/** Whether PostgreSQL gave a statement up because it took too long. */
export function isTooSlow(error: unknown): boolean {
  return types.isNativeError(error) && 'code' in error && error.code === '57014';
}

/** Whether PostgreSQL says that it cannot hold what it was given, now or ever: its classes 22 and 54. */
export function isUnstorable(error: unknown): boolean {
  return types.isNativeError(error) && 'code' in error && /^(22|54)\w{3}$/.test(String(error.code));
}
