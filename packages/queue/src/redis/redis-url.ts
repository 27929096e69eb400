import type { RedisOptions } from 'ioredis';
import { percentDecode } from '@ringback/process';

/** The options of ioredis, without `replyMapping`, which keeps its default. */
export type ConnectOptions = Omit<RedisOptions, 'replyMapping'>;

/** Where to connect. `cluster`: the nodes that the URL names; absent without a cluster. */
export type RedisTarget = { options: ConnectOptions; cluster?: { host: string; port: number }[] };

const invalidUrl = 'REDIS_URL must look like redis://host:6379';

/**
 * Parses `REDIS_URL`: `redis://host[:port][/db]`, `redis+sentinel://host[:port],…[/master[/db]]` or
 * `redis+cluster://host[:port],…`. In all three, `[user][:password]@` may be before the first host. `rediss` instead of
 * `redis` means TLS, for sentinels too. The sentinels' password is `?sentinel_password=`. If the URL is invalid, throws
 * an Error that does not contain the URL, because the URL may contain a password.
 */
export function parseRedisUrl(text: string): RedisTarget {
  const parts = /^(rediss?)(\+sentinel|\+cluster)?:\/\/(?:([^@/]*)@)?([^/?]+)\/?([^?]*)(?:\?(.*))?$/.exec(text);
  if (!parts) throw new Error(invalidUrl);
  const [, scheme, topology, login = '', hosts = '', path = '', query = ''] = parts;
  const [user = '', ...password] = login.split(':');
  const options: ConnectOptions = {
    ...(user === '' ? {} : { username: decode(user) }),
    ...(password.length === 0 ? {} : { password: decode(password.join(':')) }),
    ...(scheme === 'rediss' ? { tls: {} } : {}),
  };
  const servers = hosts.split(',').map((server) => parseServer(server, topology === '+sentinel' ? 26_379 : 6_379));
  if (topology === '+sentinel') {
    const [name, ...db] = path.split('/');
    const target = { sentinels: servers, name: name || 'mymaster', db: parseDb(db.join('/')) };
    return { options: { ...options, ...sentinelOptions(scheme === 'rediss', query), ...target } };
  }
  const db = parseDb(path);
  if (topology !== '+cluster') return { options: { ...options, ...servers[0], db } };
  if (db !== 0) throw new Error('REDIS_URL must not name a database, because a cluster has only database 0');
  return { options, cluster: servers };
}

/** Options for connections to the sentinels. ioredis ignores `sentinelTLS` without `enableTLSForSentinelMode`. */
function sentinelOptions(hasTls: boolean, query: string): ConnectOptions {
  const password = new URLSearchParams(query).get('sentinel_password');
  return {
    ...(password === null ? {} : { sentinelPassword: password }),
    ...(hasTls ? { sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
  };
}

function decode(text: string): string {
  const decoded = percentDecode(text);
  if (decoded === undefined) throw new Error(invalidUrl);
  return decoded;
}

function parseDb(text: string): number {
  if (!/^\d{0,9}$/.test(text)) throw new Error(invalidUrl);
  return Number(text);
}

function parseServer(text: string, defaultPort: number): { host: string; port: number } {
  const parts = /^(\[[^\]]+\]|[^:[\]]*)(?::(\d+))?$/.exec(text);
  if (!parts || text === '') throw new Error(invalidUrl);
  const [, host = '', port] = parts;
  return { host: host.replace(/^\[|\]$/g, '') || '127.0.0.1', port: Number(port ?? defaultPort) };
}
