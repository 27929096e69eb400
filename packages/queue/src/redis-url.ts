import type { RedisOptions } from 'ioredis';

/** Without the choice of how replies are shaped, which stays ioredis's own. */
export type ConnectOptions = Omit<RedisOptions, 'replyMapping'>;

export type RedisTarget = { options: ConnectOptions; cluster?: { host: string; port: number }[] };

/**
 * Reads `REDIS_URL`: `redis://[user:password@]host:port[/db]`, `redis+sentinel://host:port,host:port/master[/db]` or
 * `redis+cluster://host:port,host:port`; `rediss` in place of `redis` for TLS.
 */
export function parseRedisUrl(text: string): RedisTarget {
  const parts = /^(rediss?)(\+sentinel|\+cluster)?:\/\/(?:([^@/]*)@)?([^/?]+)\/?([^?]*)/.exec(text);
  if (!parts) throw new Error('REDIS_URL must look like redis://host:6379');
  const [, scheme, kind, login = '', hosts = '', path = ''] = parts;
  const [user = '', ...password] = login.split(':');
  const options: ConnectOptions = {
    ...(user === '' ? {} : { username: decodeURIComponent(user) }),
    ...(password.length === 0 ? {} : { password: decodeURIComponent(password.join(':')) }),
    ...(scheme === 'rediss' ? { tls: {} } : {}),
  };
  const servers = hosts.split(',').map((server) => parseServer(server, kind === '+sentinel' ? 26_379 : 6_379));
  if (kind === '+cluster') return { options, cluster: servers };
  if (kind === '+sentinel') {
    const [name = 'mymaster', db = '0'] = path.split('/');
    return { options: { ...options, sentinels: servers, name, db: Number(db) } };
  }
  return { options: { ...options, ...servers[0], db: Number(path || '0') } };
}

function parseServer(text: string, standardPort: number): { host: string; port: number } {
  const [, host = '', port] = /^(\[[^\]]+\]|[^:]*)(?::(\d+))?$/.exec(text) ?? [];
  return { host: host.replace(/^\[|\]$/g, '') || '127.0.0.1', port: Number(port ?? standardPort) };
}
