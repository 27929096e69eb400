import {
  type Broker,
  type Callback,
  type Connection,
  Consumer,
  type ConsumeOptions,
  GenericError,
  kGetConnection,
  type MessagesStream,
  MultipleErrors,
  UserError,
} from '@platformatic/kafka';
import { withTimeout } from '@ringback/process';
import { closeWithinMs } from './broker.js';

export type GroupStream = MessagesStream<Buffer, Buffer, Buffer, Buffer>;

/**
 * A member of a consumer group. Each connection creates a new member, because a member never looks up the group's
 * coordinator again.
 */
export class GroupConsumer extends Consumer {
  /** Opens a stream of a topic's messages. A later error destroys the stream: see its `destroyed` and `errored`. */
  openStream(options: ConsumeOptions<Buffer, Buffer, Buffer, Buffer>): Promise<GroupStream> {
    return new Promise((resolve, reject) =>
      this.consume(options, (error, stream) => {
        if (error || !stream) return reject(error);
        // The stream may fail before a promise's handler runs.
        stream.on('error', () => undefined);
        resolve(stream);
      }),
    );
  }

  /**
   * Reads the newest messages of a topic, at most `limit`, the oldest of them first in each partition. It does not join
   * the group, so that its members notice nothing.
   */
  async readNewest(topic: string, { limit, maxWaitTime }: { limit: number; maxWaitTime: number }) {
    const { topics } = await this.metadata({ topics: [topic] });
    const { id: topicId = '', partitions = [] } = topics.get(topic) ?? {};
    const [oldest, latest] = await Promise.all(
      [earliestTime, latestTime].map((timestamp) => this.listOffsets({ topics: [topic], timestamp })),
    );
    const found: KafkaRecord[] = [];
    for (const [partition, { leader: node }] of partitions.entries()) {
      const end = latest?.get(topic)?.[partition] ?? 0n;
      const first = maxOf(oldest?.get(topic)?.[partition] ?? 0n, end - BigInt(limit - found.length));
      const batches = await this.#readBatches({ node, topicId, partition, first, end, maxWaitTime });
      for (const { firstOffset, records } of batches)
        found.push(...records.filter(({ offsetDelta }) => firstOffset + BigInt(offsetDelta) >= first));
    }
    return found.slice(0, limit);
  }

  /** The batches of a partition that have messages from one offset up to another, apart from Kafka's own. */
  async #readBatches({ node, topicId, partition, first, end, maxWaitTime }: Range): Promise<RecordsBatch[]> {
    const found: RecordsBatch[] = [];
    for (let next = first; next < end;) {
      const from = { partition, fetchOffset: next, currentLeaderEpoch: -1, lastFetchedEpoch: -1, partitionMaxBytes };
      const { responses } = await this.fetch({ node, maxWaitTime, topics: [{ topicId, partitions: [from] }] });
      const batches = responses.flatMap((response) => response.partitions).flatMap(({ records = [] }) => records);
      found.push(...batches.filter(({ attributes }) => (attributes & controlBatch) === 0));
      const last = batches.at(-1);
      if (last === undefined) break;
      next = last.firstOffset + BigInt(last.lastOffsetDelta) + 1n;
    }
    return found;
  }

  /**
   * Leaves the group and ends all connections, within `closeWithinMs`. A member that cannot leave, because its
   * coordinator is gone, loses its partitions after Kafka's session timeout.
   */
  async leave(): Promise<void> {
    const left = new Promise<unknown>((resolve) => this.close(true, resolve));
    await withTimeout(closeWithinMs, left, () => undefined).catch(() => undefined);
    void this.connections.close().catch(() => undefined);
  }

  /**
   * If the error is about an offset that Kafka does not have, moves the group to the oldest message of each partition
   * whose committed offset is out of range, and throws an error that names these partitions. Kafka has deleted the
   * messages after such an offset because their retention was over, or has lost messages that the group had read.
   * Returns after any other error, or if no committed offset is out of range.
   */
  async resetOutOfRangeOffsetsAndThrow(error: unknown): Promise<void> {
    if (!isOutOfRange(error)) return;
    const topics = this.assignments ?? [];
    const names = topics.map(({ topic }) => topic);
    const [oldest, latest, committed] = await Promise.all([
      this.listOffsets({ topics: names, timestamp: earliestTime }),
      this.listOffsets({ topics: names, timestamp: latestTime }),
      this.listCommittedOffsets({ topics }),
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
    await this.commit({
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

  // The coordinator or a leader may be a broker that Kafka no longer lists. The library would then throw an error that
  // nothing catches.
  override [kGetConnection](broker: Broker | undefined, callback: Callback<Connection>): void {
    if (broker === undefined)
      return callback(new UserError('a broker is no longer in the cluster'), undefined as never);
    super[kGetConnection](broker, callback);
  }
}

const maxOf = (a: bigint, b: bigint) => (a > b ? a : b);
const partitionMaxBytes = 1_000_000;
/** The attribute of a batch that Kafka writes itself, for transactions. */
const controlBatch = 0x20;

type KafkaRecord = { offsetDelta: number; value: Buffer | null; headers: [Buffer | null, Buffer | null][] };
/** As Kafka returns them. Messages have offsets relative to the first of their batch. */
type RecordsBatch = { firstOffset: bigint; lastOffsetDelta: number; attributes: number; records: KafkaRecord[] };
type Range = Record<'node' | 'partition' | 'maxWaitTime', number> & { topicId: string; first: bigint; end: bigint };

type Offsets = Map<string, bigint[]>;

/** The committed offset of a partition without one. */
const none = -1n;
// In ListOffsets, these mean the oldest offset and the one after the newest.
const earliestTime = -2n;
const latestTime = -1n;

function isOutOfRange(error: unknown): boolean {
  const [property, value] = ['apiId', 'OFFSET_OUT_OF_RANGE'];
  if (error instanceof GenericError) return error.findBy(property, value) !== null;
  return error instanceof MultipleErrors && error.findBy(property, value) !== null;
}
