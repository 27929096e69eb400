import { types } from 'node:util';
import { isNetworkErrorCode } from '@ringback/runtime';

const codes = /^(57P0[123]|08\w{3}|53\d{3}|25006)$/;
const messages =
  /connection is closed|isn't writeable|command timed out|max retries per request|failed to refresh slots cache|all sentinels are unreachable|too many cluster redirections|^(READONLY|OOM|LOADING|CLUSTERDOWN|MASTERDOWN|NOREPLICAS)|connection terminated|after calling end on the pool|timeout exceeded when trying to connect|query read timeout|^socket timeout/i;

/**
 * Whether an error, or one of its causes, means that the queue engine is unavailable, full or read-only. A later
 * attempt may then succeed.
 */
export function isQueueUnavailable(error: unknown): boolean {
  for (let link: unknown = error, depth = 0; types.isNativeError(link) && depth < 5; link = link.cause, depth++) {
    if (messages.test(link.message)) return true;
    if ('code' in link && typeof link.code === 'string' && (codes.test(link.code) || isNetworkErrorCode(link.code)))
      return true;
    if ('errors' in link && Array.isArray(link.errors) && link.errors.some(isQueueUnavailable)) return true;
  }
  return false;
}
