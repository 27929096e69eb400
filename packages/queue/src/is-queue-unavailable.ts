import { types } from 'node:util';
import { isNetworkErrorCode, isServerUnavailable } from '@ringback/process';

const unavailableMessages = [
  /connection is closed/i,
  /isn't writeable/i,
  /command timed out/i,
  /max retries per request/i,
  /failed to refresh slots cache/i,
  /all sentinels are unreachable/i,
  /too many cluster redirections/i,
  /^(READONLY|OOM|LOADING|CLUSTERDOWN|MASTERDOWN|NOREPLICAS)/i,
  /connection terminated/i,
  /after calling end on the pool/i,
  /timeout exceeded when trying to connect/i,
  /query read timeout/i,
  /not queryable/i,
  /^socket timeout/i,
];

/**
 * Whether an error, or one that it wraps, means that the queue engine is unavailable, full or read-only. A later
 * attempt may then succeed.
 */
export function isQueueUnavailable(error: unknown): boolean {
  for (let link: unknown = error, depth = 0; types.isNativeError(link) && depth < 5; link = link.cause, depth++) {
    const { message } = link;
    if (unavailableMessages.some((pattern) => pattern.test(message))) return true;
    const code = 'code' in link && typeof link.code === 'string' ? link.code : '';
    if (isServerUnavailable(code) || isNetworkErrorCode(code)) return true;
    if ('errors' in link && Array.isArray(link.errors) && link.errors.some(isQueueUnavailable)) return true;
  }
  return false;
}
