import type { RedisOptions } from 'ioredis';

/** Without the choice of how replies are shaped, which stays ioredis's own. */
export type ConnectOptions = Omit<RedisOptions, 'replyMapping'>;

export type RedisTarget = { options: ConnectOptions; cluster?: { host: string; port: number }[] };

const complaint = 'REDIS_URL must look like redis://host:6379';

/**
 * Reads `REDIS_URL`: `redis://[user:password@]host:port[/db]`, `redis+sentinel://host:port,host:port/master[/db]` or
 * `redis+cluster://host:port,host:port`; `rediss` in place of `redis` for TLS, with sentinels too. Sentinels that want
 * a password of their own find it in `?sentinel_password=`. Throws an Error that does not repeat the url, which may
 * hold a password.
 */
export function parseRedisUrl(text: string): RedisTarget {
  const parts = /^(rediss?)(\+sentinel|\+cluster)?:\/\/(?:([^@/]*)@)?([^/?]+)\/?([^?]*)(?:\?(.*))?$/.exec(text);
  if (!parts) throw new Error(complaint);
  const [, scheme, kind, login = '', hosts = '', path = '', query = ''] = parts;
  const [user = '', ...password] = login.split(':');
  const options: ConnectOptions = {
    ...(user === '' ? {} : { username: decode(user) }),
    ...(password.length === 0 ? {} : { password: decode(password.join(':')) }),
    ...(scheme === 'rediss' ? { tls: {} } : {}),
  };
  const servers = hosts.split(',').map((server) => parseServer(server, kind === '+sentinel' ? 26_379 : 6_379));
  if (kind === '+sentinel') {
    const [name, ...db] = path.split('/');
    const target = { sentinels: servers, name: name || 'mymaster', db: parseDb(db.join('/')) };
    return { options: { ...options, ...sentinelOptions(scheme === 'rediss', query), ...target } };
  }
  const db = parseDb(path);
  if (kind !== '+cluster') return { options: { ...options, ...servers[0], db } };
  // A cluster has no other.
  if (db !== 0) throw new Error(complaint);
  return { options, cluster: servers };
}

/** How the sentinels themselves are reached. ioredis asks for TLS once more: without that it leaves it out silently. */
function sentinelOptions(tls: boolean, query: string): ConnectOptions {
  const password = new URLSearchParams(query).get('sentinel_password');
  return {
    ...(password === null ? {} : { sentinelPassword: password }),
    ...(tls ? { sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(complaint);
  }
}

function parseDb(text: string): number {
  if (!/^\d{0,9}$/.test(text)) throw new Error(complaint);
  return Number(text);
}

function parseServer(text: string, standardPort: number): { host: string; port: number } {
  const parts = /^(\[[^\]]+\]|[^:[\]]*)(?::(\d+))?$/.exec(text);
  if (!parts || text === '') throw new Error(complaint);
  const [, host = '', port] = parts;
  return { host: host.replace(/^\[|\]$/g, '') || '127.0.0.1', port: Number(port ?? standardPort) };
}
