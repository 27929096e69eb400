// The previous version kept deliveries in BullMQ queues: up to 64 shards for each channel.
const maxShards = 64;
const deliveryQueueName = /^(?:sms|rcs)-deliveries(?:-(\d+))?$/;

export type PreviousQueueName = `${'sms' | 'rcs'}-deliveries${'' | `-${number}`}`;

/** The names that the previous version's delivery queues can have. On PostgreSQL, each channel had only one shard. */
export function previousQueueNames(shardsPerChannel = maxShards): PreviousQueueName[] {
  return (['sms-deliveries', 'rcs-deliveries'] as const).flatMap((name) =>
    Array.from({ length: shardsPerChannel }, (_, index) => (index === 0 ? name : (`${name}-${index}` as const))),
  );
}

/**
 * The prefix of a queue in a Redis Cluster. The hash tag in the prefix puts all keys with this prefix into one slot.
 * All queues share a prefix, except the delivery queues of the previous version: each shard had its own.
 */
export function clusterPrefix(prefix: string, name: string): string {
  const [, index = '0'] = deliveryQueueName.exec(name) ?? [];
  return deliveryQueueName.test(name) ? `{${prefix}-${index}}` : `{${prefix}}`;
}
