import type { Cluster, Redis } from 'ioredis';
import { rewriteScripts } from './scripts.js';

const promotesMany = '"LIMIT", 0, 1000)';
// At least one for each job that is taken, or those that are due would come later and later.
const promotesFew = '"LIMIT", 0, 10)';

/**
 * Delayed jobs that are due become waiting ones whenever a job is taken. BullMQ moves up to a thousand each time, for
 * which Redis answers nobody for 15 ms or more, a hundred times when a hundred thousand retries fall due at once. On this
 * client it moves a few, and as many in all.
 */
export function promoteFew(client: Redis | Cluster): void {
  rewriteScripts(client, (lua) => {
    if (!lua.includes('function promoteDelayedJobs')) return lua;
    return lua.includes(promotesMany) ? lua.replace(promotesMany, promotesFew) : undefined;
  });
}
