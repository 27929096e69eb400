import { findFreePort } from '@ringback/embedded';
import { type RedisServer, startRedis, prepareTls, type TlsFiles } from './redis-server.js';
import { until } from './waiting.js';

export type RedisCluster = {
  url: string;
  nodes: RedisServer[];
  /** Adds a replica to the node with this index. Resolves when the replica can be promoted. */
  addReplica(index: number): Promise<void>;
  remove(): Promise<void>;
};

type ClusterOptions = { size?: number; tls?: TlsFiles };

type Member = { node: RedisServer; busPort: number; tlsPort: number };

const slotCount = 16_384;

/**
 * Starts a Redis Cluster of `size` primaries, whose numbers of slots differ by at most one. With `tls`, the nodes also
 * use TLS among themselves.
 */
export async function startRedisCluster({ size = 3, tls }: ClusterOptions = {}): Promise<RedisCluster> {
  const members: Member[] = [];
  for (let index = 0; index < size; index++) members.push(await startMember(tls));
  const firstSlot = (index: number) => Math.floor((index * slotCount) / size);
  for (const [index, { node }] of members.entries()) {
    await expectOk(node, `CLUSTER ADDSLOTSRANGE ${firstSlot(index)} ${firstSlot(index + 1) - 1}`);
    await expectOk(node, `CLUSTER SET-CONFIG-EPOCH ${index + 1}`);
    if (index > 0) await meet(node, members[0]);
  }
  const nodes = members.map(({ node }) => node);
  const replicas: RedisServer[] = [];
  await Promise.all(nodes.map((node) => until(() => knowsAll(node, size), 'every node knows the whole cluster')));
  return {
    url: tls
      ? `rediss+cluster://${members.map(({ tlsPort }) => `localhost:${tlsPort}`).join(',')}`
      : `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    nodes,
    async addReplica(index) {
      const { node } = await startMember(tls);
      replicas.push(node);
      await meet(node, members[0]);
      const id = await nodes[index]?.command('CLUSTER MYID');
      await until(
        async () => (await node.command(`CLUSTER REPLICATE ${id}`)).startsWith('+OK'),
        'the replica knows its primary',
      );
      const isLinked = async () => (await node.command('INFO replication')).includes('master_link_status:up');
      await until(isLinked, 'the replica has caught up');
      const knowsReplica = async (other: RedisServer) => (await other.command('CLUSTER NODES')).includes(`slave ${id}`);
      await Promise.all(nodes.map((other) => until(() => knowsReplica(other), 'every node knows the replica')));
    },
    async remove() {
      await Promise.all([...nodes, ...replicas].map((node) => node.remove()));
    },
  };
}

async function startMember(tls?: TlsFiles): Promise<Member> {
  const busPort = await findFreePort();
  const settings = { 'cluster-enabled': 'yes', 'cluster-port': String(busPort), 'cluster-node-timeout': '2000' };
  const encrypted = tls && (await prepareTls(tls));
  const tlsSettings = encrypted ? { ...encrypted.settings, 'tls-cluster': 'yes' } : {};
  const node = await startRedis({ ...settings, ...tlsSettings, 'repl-diskless-sync-delay': '0' });
  return { node, busPort, tlsPort: encrypted?.port ?? 0 };
}

async function meet(node: RedisServer, other: Member | undefined): Promise<void> {
  if (other) await expectOk(node, `CLUSTER MEET 127.0.0.1 ${other.node.port} ${other.busPort}`);
}

async function expectOk(node: RedisServer, command: string): Promise<void> {
  const reply = await node.command(command);
  if (!reply.startsWith('+OK')) throw new Error(`${command}: ${reply}`);
}

async function knowsAll(node: RedisServer, size: number): Promise<boolean> {
  const info = await node.command('CLUSTER INFO');
  return info.includes('cluster_state:ok') && info.includes(`cluster_size:${size}\r`);
}
