import {
  type Broker,
  type Callback,
  type Connection,
  Consumer,
  type ConsumeOptions,
  kGetConnection,
  type MessagesStream,
  UserError,
} from '@platformatic/kafka';
import { withTimeout } from '@ringback/process';
import { closeWithinMs } from './source.js';

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
   * Leaves the group and ends all connections, within `closeWithinMs`. A member that cannot leave, because its
   * coordinator is gone, loses its partitions after Kafka's session timeout.
   */
  async leave(): Promise<void> {
    const left = new Promise<unknown>((resolve) => this.close(true, resolve));
    await withTimeout(closeWithinMs, left, () => undefined).catch(() => undefined);
    void this.connections.close().catch(() => undefined);
  }

  // The coordinator or a leader may be a broker that Kafka no longer lists. The library would then throw an error that
  // nothing catches.
  override [kGetConnection](broker: Broker | undefined, callback: Callback<Connection>): void {
    if (broker === undefined)
      return callback(new UserError('a broker is no longer in the cluster'), undefined as never);
    super[kGetConnection](broker, callback);
  }
}
