import type { Cluster, Redis } from 'ioredis';

/**
 * Rewrites BullMQ's Lua scripts when they are defined on this client. `rewrite` returns the new text of a script, or
 * undefined if it does not recognise the script; the definition then throws. BullMQ's version is pinned, and the
 * rewriting must be reviewed for each new version.
 */
export function rewriteScripts(client: Redis | Cluster, rewrite: (lua: string) => string | undefined): void {
  const define = client.defineCommand.bind(client);
  client.defineCommand = (name, { lua, ...rest }) => {
    const rewritten = rewrite(lua);
    if (rewritten === undefined)
      throw new Error(`the BullMQ script ${name} has changed: review the rewritten scripts for this version of BullMQ`);
    define(name, { ...rest, lua: rewritten });
  };
}
