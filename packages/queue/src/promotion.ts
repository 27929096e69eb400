import type { Cluster, Redis } from 'ioredis';

const promotesMany = '"LIMIT", 0, 1000)';
// At least one for each job that is taken, or those that are due would come later and later.
const promotesFew = '"LIMIT", 0, 10)';

/**
 * Delayed jobs that are due become waiting ones whenever a job is taken. BullMQ moves up to a thousand each time, for
 * which Redis answers nobody for 15 ms or more, a hundred times when a hundred thousand retries fall due at once. On this
 * client it moves a few, and as many in all. Changes the text of BullMQ's scripts, whose version is pinned.
 */
export function promoteFew(client: Redis | Cluster): void {
  const define = client.defineCommand.bind(client);
  client.defineCommand = (name, { lua, ...rest }) => {
    const promotes = lua.includes('function promoteDelayedJobs');
    if (promotes && !lua.includes(promotesMany))
      throw new Error(`${name} of BullMQ promotes jobs in a way that is not known here`);
    define(name, { ...rest, lua: promotes ? lua.replace(promotesMany, promotesFew) : lua });
  };
}
