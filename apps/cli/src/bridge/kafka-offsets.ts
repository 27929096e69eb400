import type { Consumer } from '@platformatic/kafka';

/**
 * After an error about offsets that Kafka no longer has, moves the group to the oldest message that is left. Kafka deleted
 * the messages before them when their retention was over. Does nothing after another error.
 */
export async function skipDeletedMessages(consumer: Consumer, error: unknown): Promise<void> {
  if (!isOutOfRange(error)) return;
  const topics = consumer.assignments ?? [];
  const [oldest, committed] = await Promise.all([
    consumer.listOffsets({ topics: topics.map(({ topic }) => topic), timestamp: earliest }),
    consumer.listCommittedOffsets({ topics }),
  ]);
  const offsets = topics.flatMap(({ topic, partitions }) =>
    partitions.flatMap((partition) => {
      const [offset = 0n, current = 0n] = [oldest.get(topic)?.[partition], committed.get(topic)?.[partition]];
      return current < offset ? [{ topic, partition, offset, leaderEpoch: -1 }] : [];
    }),
  );
  if (offsets.length > 0) await consumer.commit({ offsets });
}

// ListOffsets understands this time as the offset of the oldest message.
const earliest = -2n;

const isOutOfRange = (error: unknown): boolean => {
  const { findBy } = Object(error) as { findBy?: unknown };
  return typeof findBy === 'function' && Boolean(findBy.call(error, 'apiId', 'OFFSET_OUT_OF_RANGE'));
};
