import { type RedisServer, startRedis } from './redis-server.js';
import { until } from './until.js';

export type RedisWithSentinels = {
  url: string;
  /** Both servers; the first was the primary at the start. */
  servers: [RedisServer, RedisServer];
  sentinels: RedisServer[];
  /** The server that the sentinels take for the primary. */
  findPrimary(): Promise<RedisServer | undefined>;
  remove(): Promise<void>;
};

const name = 'ringback';

/** A primary, a replica that has caught up, and three sentinels, two of which must agree that the primary is down. */
export async function startRedisWithSentinels(): Promise<RedisWithSentinels> {
  const prompt = { 'repl-diskless-sync-delay': '0' };
  const primary = await startRedis(prompt);
  const replica = await startRedis({ ...prompt, replicaof: `127.0.0.1 ${primary.port}` });
  const isLinked = async () => (await replica.command('INFO replication')).includes('master_link_status:up');
  await until(isLinked, 'the replica has caught up');
  const sentinel = [
    `sentinel monitor ${name} 127.0.0.1 ${primary.port} 2`,
    `sentinel down-after-milliseconds ${name} 1000`,
    `sentinel failover-timeout ${name} 5000`,
  ];
  const sentinels = await Promise.all([1, 2, 3].map(() => startRedis({}, sentinel)));
  const ready = async (one: RedisServer) =>
    (await one.command(`SENTINEL CKQUORUM ${name}`)).startsWith('+OK 3 ') &&
    (await one.command('INFO sentinel')).includes('slaves=1');
  await Promise.all(sentinels.map((one) => until(() => ready(one), 'the sentinels know each other and the replica')));
  const servers: [RedisServer, RedisServer] = [primary, replica];
  return {
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${name}`,
    servers,
    sentinels,
    async findPrimary() {
      const answer = (await sentinels[0]?.command('INFO sentinel')) ?? '';
      return servers.find(({ port }) => answer.includes(`address=127.0.0.1:${port},`));
    },
    async remove() {
      await Promise.all([...sentinels, ...servers].map((one) => one.remove()));
    },
  };
}
