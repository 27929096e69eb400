import { once } from 'node:events';
import net, { isIP } from 'node:net';
import tls from 'node:tls';
import { Cluster } from 'ioredis';
import { connect, whenReady, withRedisTimeout } from './redis-client.js';
import { parseRedisUrl } from './redis-url.js';
import { UnsafeEvictionPolicyError } from './unsafe-eviction-policy.js';

/**
 * Resolves if Redis, or each primary of a cluster, responds within `timeoutMs` and never evicts keys. Throws an Error
 * that says why not.
 */
export async function checkRedis(url: string, timeoutMs: number): Promise<void> {
  let connectionError: Error | undefined;
  const client = connect(url, { maxRetriesPerRequest: 1, connectTimeout: 1_000 });
  client.on('error', (error) => (connectionError = error));
  try {
    if (client instanceof Cluster) await whenReady(client, timeoutMs);
    const servers = client instanceof Cluster ? client.nodes('master') : [client];
    const memories = await withRedisTimeout(Promise.all(servers.map((server) => server.info('memory'))), timeoutMs);
    const policies = memories.map((memory) => /maxmemory_policy:(\S+)/.exec(memory)?.[1] ?? 'noeviction');
    const policy = policies.find((name) => name !== 'noeviction');
    if (policy === undefined) return;
    throw new UnsafeEvictionPolicyError(
      `REDIS_URL names a Redis whose maxmemory-policy is ${policy}, which loses jobs; set it to noeviction`,
    );
  } catch (error) {
    throw error instanceof UnsafeEvictionPolicyError
      ? error
      : ((await findConnectError(url, timeoutMs)) ?? connectionError ?? error);
  } finally {
    client.disconnect();
  }
}

/**
 * Connects to the first sentinel or node. Returns the error, which ioredis does not report; undefined if it connects.
 */
async function findConnectError(url: string, timeoutMs: number): Promise<unknown> {
  const { options, cluster } = parseRedisUrl(url);
  const [server] = cluster ?? options.sentinels ?? [];
  if (!server?.host) return undefined;
  const { host, port = 0 } = server;
  const servername = isIP(host) ? {} : { servername: host };
  const socket = options.tls ? tls.connect({ host, port, ...servername }) : net.connect({ host, port });
  try {
    await withRedisTimeout(once(socket, options.tls ? 'secureConnect' : 'connect'), timeoutMs);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    socket.destroy();
  }
}
