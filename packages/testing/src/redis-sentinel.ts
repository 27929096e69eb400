import { type RedisServer, startRedis } from './redis-server.js';
import { until } from './until.js';

export type RedisWithSentinels = {
  url: string;
  /** Both servers; the first is the primary at the start. */
  servers: [RedisServer, RedisServer];
  sentinels: RedisServer[];
  /** The server that is the primary according to the sentinels. */
  findPrimary(): Promise<RedisServer | undefined>;
  remove(): Promise<void>;
};

const name = 'ringback';

/** Starts a primary, a replica in sync, and three sentinels. Two of them must agree that the primary is down. */
export async function startRedisWithSentinels(): Promise<RedisWithSentinels> {
  const promptSync = { 'repl-diskless-sync-delay': '0' };
  const primary = await startRedis(promptSync);
  const replica = await startRedis({ ...promptSync, replicaof: `127.0.0.1 ${primary.port}` });
  const isLinked = async () => (await replica.command('INFO replication')).includes('master_link_status:up');
  await until(isLinked, 'the replica has caught up');
  const sentinel = [
    `sentinel monitor ${name} 127.0.0.1 ${primary.port} 2`,
    `sentinel down-after-milliseconds ${name} 1000`,
    `sentinel failover-timeout ${name} 5000`,
  ];
  const sentinels = await Promise.all([1, 2, 3].map(() => startRedis({}, sentinel)));
  const isReady = async (one: RedisServer) =>
    (await one.command(`SENTINEL CKQUORUM ${name}`)).startsWith('+OK 3 ') &&
    (await one.command('INFO sentinel')).includes('slaves=1');
  await Promise.all(sentinels.map((one) => until(() => isReady(one), 'the sentinels know each other and the replica')));
  const servers: [RedisServer, RedisServer] = [primary, replica];
  return {
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${name}`,
    servers,
    sentinels,
    async findPrimary() {
      const reply = (await sentinels[0]?.command('INFO sentinel')) ?? '';
      return servers.find(({ port }) => reply.includes(`address=127.0.0.1:${port},`));
    },
    async remove() {
      await Promise.all([...sentinels, ...servers].map((one) => one.remove()));
    },
  };
}
