/** The queues in which deliveries waited in the release before: one a channel, or up to 64 shards of it. */
const maxShards = 64;
const shard = /^(?:sms|rcs)-deliveries(?:-(\d+))?$/;

export type PreviousQueueName = `${'sms' | 'rcs'}-deliveries${'' | `-${number}`}`;

/** Their names; PostgreSQL never had more than one shard. */
export function previousQueueNames(shards = maxShards): PreviousQueueName[] {
  return (['sms-deliveries', 'rcs-deliveries'] as const).flatMap((name) =>
    Array.from({ length: shards }, (_, index) => (index === 0 ? name : (`${name}-${index}` as const))),
  );
}

/**
 * The prefix of a queue in a cluster: with a hash tag, since all keys of a queue must lie in one slot. Each number of
 * shards had a prefix of its own.
 */
export function clusterPrefix(prefix: string, name: string): string {
  const [, index = '0'] = shard.exec(name) ?? [];
  return shard.test(name) ? `{${prefix}-${index}}` : `{${prefix}}`;
}
