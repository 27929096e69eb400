// The previous version kept deliveries in BullMQ queues: up to 64 shards for each channel.
const maxShards = 64;
const shard = /^(?:sms|rcs)-deliveries(?:-(\d+))?$/;

export type PreviousQueueName = `${'sms' | 'rcs'}-deliveries${'' | `-${number}`}`;

/** The names of the previous version's delivery queues. On PostgreSQL, each channel had only one shard. */
export function previousQueueNames(shards = maxShards): PreviousQueueName[] {
  return (['sms-deliveries', 'rcs-deliveries'] as const).flatMap((name) =>
    Array.from({ length: shards }, (_, index) => (index === 0 ? name : (`${name}-${index}` as const))),
  );
}

/**
 * The prefix of a queue in a Redis Cluster. Its hash tag puts all keys of the queue into one slot. In the previous
 * version each shard had its own prefix.
 */
export function clusterPrefix(prefix: string, name: string): string {
  const [, index = '0'] = shard.exec(name) ?? [];
  return shard.test(name) ? `{${prefix}-${index}}` : `{${prefix}}`;
}
