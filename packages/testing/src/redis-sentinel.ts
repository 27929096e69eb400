import { type RedisServer, startRedis } from './redis-server.js';
import { until } from './waiting.js';

export type RedisWithSentinels = {
  url: string;
  /** Both servers; the first is the primary at the start. */
  servers: [RedisServer, RedisServer];
  sentinels: RedisServer[];
  /** The server that is the primary according to the first sentinel. */
  findPrimary(): Promise<RedisServer | undefined>;
  remove(): Promise<void>;
};

const masterName = 'ringback';

/** Starts a primary, a replica in sync, and three sentinels. Two of them must agree that the primary is down. */
export async function startRedisWithSentinels(): Promise<RedisWithSentinels> {
  const promptSync = { 'repl-diskless-sync-delay': '0' };
  const primary = await startRedis(promptSync);
  const replica = await startRedis({ ...promptSync, replicaof: `127.0.0.1 ${primary.port}` });
  const isLinked = async () => (await replica.command('INFO replication')).includes('master_link_status:up');
  await until(isLinked, 'the replica has caught up');
  const sentinelConfig = [
    `sentinel monitor ${masterName} 127.0.0.1 ${primary.port} 2`,
    `sentinel down-after-milliseconds ${masterName} 1000`,
    `sentinel failover-timeout ${masterName} 5000`,
  ];
  const sentinels = await Promise.all([1, 2, 3].map(() => startRedis({}, sentinelConfig)));
  const isReady = async (sentinel: RedisServer) =>
    (await sentinel.command(`SENTINEL CKQUORUM ${masterName}`)).startsWith('+OK 3 ') &&
    (await sentinel.command('INFO sentinel')).includes('slaves=1');
  await Promise.all(
    sentinels.map((sentinel) => until(() => isReady(sentinel), 'the sentinels know each other and the replica')),
  );
  const servers: [RedisServer, RedisServer] = [primary, replica];
  return {
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${masterName}`,
    servers,
    sentinels,
    async findPrimary() {
      const reply = (await sentinels[0]?.command('INFO sentinel')) ?? '';
      return servers.find(({ port }) => reply.includes(`address=127.0.0.1:${port},`));
    },
    async remove() {
      await Promise.all([...sentinels, ...servers].map((server) => server.remove()));
    },
  };
}
