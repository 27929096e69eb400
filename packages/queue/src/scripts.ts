import type { Cluster, Redis } from 'ioredis';

/**
 * Has BullMQ's scripts rewritten as this client learns them. `rewrite` answers the text that is to be used, or undefined
 * when it does not know the script: BullMQ's version is pinned, and another one has to be looked at.
 */
export function rewriteScripts(client: Redis | Cluster, rewrite: (lua: string) => string | undefined): void {
  const define = client.defineCommand.bind(client);
  client.defineCommand = (name, { lua, ...rest }) => {
    const rewritten = rewrite(lua);
    if (rewritten === undefined) throw new Error(`${name} of BullMQ does its work in a way that is not known here`);
    define(name, { ...rest, lua: rewritten });
  };
}
