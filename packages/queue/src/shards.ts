import { type Channel, deliveryQueues, type QueueName, type ShardName } from './names.js';

/** As many as a delivery queue can be split into: the most that QUEUE_SHARDS takes. */
export const mostShards = 64;

const shard = /^((?:sms|rcs)-deliveries)(?:-(\d+))?$/;
const shardName = (channel: Channel, index: number): ShardName =>
  index === 0 ? deliveryQueues[channel] : `${deliveryQueues[channel]}-${index}`;

/** The channel of a delivery queue or of a shard of it; undefined for any other queue. */
export function channelOfShard(name: string): Channel | undefined {
  if (!shard.test(name)) return undefined;
  return name.startsWith(deliveryQueues.sms) ? 'sms' : 'rcs';
}

/** The queues in the engine that one queue is split into: several when it is one of deliveries, else itself. */
export function shardsOf(name: QueueName, shards: number): ShardName[] {
  const channel = channelOfShard(name);
  if (channel === undefined) return [name];
  return Array.from({ length: shards }, (_, index) => shardName(channel, index));
}

/** The shard that a delivery belongs to. It follows from its id, whose end is random. */
export function shardOf(channel: Channel, deliveryId: string, shards: number): ShardName {
  const end = Number.parseInt(deliveryId.slice(-8), 16);
  return shardName(channel, Number.isNaN(end) ? 0 : end % shards);
}

/**
 * The prefix of a queue in a cluster: with a hash tag, since all keys of a queue must lie in one slot. The shards of a
 * number lie together. Numbers that differ in their last two bits lie a quarter of all slots apart, so that a few
 * shards reach several nodes.
 */
export function clusterPrefix(prefix: string, name: string): string {
  const [, isSharded, index = '0'] = shard.exec(name) ?? [];
  return isSharded === undefined ? `{${prefix}}` : `{${prefix}-${index}}`;
}
