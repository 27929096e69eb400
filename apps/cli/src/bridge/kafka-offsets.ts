import type { Consumer } from '@platformatic/kafka';

/**
 * If the error is about an offset that Kafka does not have, moves the group to the oldest message of each partition
 * whose committed offset is out of range, and throws an error that names these partitions. Kafka has deleted the
 * messages after such an offset because their retention was over, or has lost messages that the group had read. Returns
 * after any other error, or if no committed offset is out of range.
 */
export async function resetOutOfRangeOffsetsAndThrow(consumer: Consumer, error: unknown): Promise<void> {
  if (!isOutOfRange(error)) return;
  const topics = consumer.assignments ?? [];
  const names = topics.map(({ topic }) => topic);
  const [oldest, latest, committed] = await Promise.all([
    consumer.listOffsets({ topics: names, timestamp: earliestTime }),
    consumer.listOffsets({ topics: names, timestamp: latestTime }),
    consumer.listCommittedOffsets({ topics }),
  ]);
  const moves = topics.flatMap(({ topic, partitions }) =>
    partitions.flatMap((partition) => {
      const offsetIn = (offsets: Offsets) => offsets.get(topic)?.[partition] ?? none;
      const first = offsetIn(oldest);
      const end = offsetIn(latest);
      const current = offsetIn(committed);
      const isOutOfRangeOffset = current !== none && (current < first || current > end);
      return isOutOfRangeOffset ? [{ topic, partition, current, first, end }] : [];
    }),
  );
  if (moves.length === 0) return;
  await consumer.commit({
    offsets: moves.map(({ topic, partition, first: offset }) => ({ topic, partition, offset, leaderEpoch: -1 })),
  });
  const descriptions = moves.map(
    ({ topic, partition, current, first, end }) =>
      `${topic}/${partition}: offset ${current} is not between ${first} and ${end}`,
  );
  throw new Error(
    `Kafka does not have the group's offsets, so the group continues with the oldest message (${descriptions.join(', ')})`,
  );
}

type Offsets = Map<string, bigint[]>;

/** The committed offset of a partition without one. */
const none = -1n;
// In ListOffsets, these mean the oldest offset and the one after the newest.
const earliestTime = -2n;
const latestTime = -1n;

// The library's GenericError and MultipleErrors have `findBy`. They are not imported: only a bridge loads the library.
const isOutOfRange = (error: unknown): boolean => {
  const { findBy } = Object(error) as { findBy?: unknown };
  return typeof findBy === 'function' && Boolean(findBy.call(error, 'apiId', 'OFFSET_OUT_OF_RANGE'));
};
