import { once } from 'node:events';
import net, { isIP } from 'node:net';
import tls from 'node:tls';
import { Cluster } from 'ioredis';
import { withReplyTimeout } from '../engine.js';
import { connect, whenReady } from './redis-client.js';
import { parseRedisUrl } from './redis-url.js';

/** Redis responds but may evict jobs. The message names the environment variable and says what to change. */
export class UnsafeEvictionPolicyError extends Error {
  override readonly name = 'UnsafeEvictionPolicyError';
}

export const isUnsafeEvictionPolicy = (error: unknown): error is UnsafeEvictionPolicyError =>
  error instanceof UnsafeEvictionPolicyError;

/**
 * Resolves if Redis, or each primary of a cluster, responds and never evicts keys. Otherwise throws an Error that says
 * why. Connecting, asking and finding the error may each take `timeoutMs`.
 */
export async function checkRedis(url: string, timeoutMs: number): Promise<void> {
  let connectionError: Error | undefined;
  const client = connect(url, { maxRetriesPerRequest: 1, connectTimeout: 1_000 });
  client.on('error', (error) => (connectionError = error));
  try {
    if (client instanceof Cluster) await whenReady(client, timeoutMs);
    const servers = client instanceof Cluster ? client.nodes('master') : [client];
    const memories = await withReplyTimeout(Promise.all(servers.map((server) => server.info('memory'))), timeoutMs);
    const policies = memories.map((memory) => /maxmemory_policy:(\S+)/.exec(memory)?.[1] ?? 'noeviction');
    const evictionPolicy = policies.find((name) => name !== 'noeviction');
    if (evictionPolicy === undefined) return;
    throw new UnsafeEvictionPolicyError(
      `REDIS_URL names a Redis whose maxmemory-policy is ${evictionPolicy}, which loses jobs; set it to noeviction`,
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
 * Connects to the first sentinel, or to the first node of a cluster. Returns the error of connecting, which ioredis
 * does not report. Returns undefined if there is no error, or if the URL names a single server.
 */
async function findConnectError(url: string, timeoutMs: number): Promise<unknown> {
  const { options, cluster } = parseRedisUrl(url);
  const [server] = cluster ?? options.sentinels ?? [];
  if (!server?.host) return undefined;
  const { host, port = 0 } = server;
  const servername = isIP(host) ? {} : { servername: host };
  const socket = options.tls ? tls.connect({ host, port, ...servername }) : net.connect({ host, port });
  try {
    await withReplyTimeout(once(socket, options.tls ? 'secureConnect' : 'connect'), timeoutMs);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    socket.destroy();
  }
}
