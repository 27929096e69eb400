import type { PlatformEvent } from '@ringback/callbacks';
import {
  batched,
  batchSize,
  createRetryWhileUnavailable,
  type Database,
  StoppingError,
  type Waker,
} from '@ringback/database';
import { ingestEvents, ingestRawEvent, type IngestResult, rejectRawEvent } from '@ringback/intake';
import { errorFields, type Logger } from '@ringback/runtime';
import { createByteLimiter } from './byte-limiter.js';
import { type Message, type ReadMessage, readMessage } from './message.js';

/**
 * Resolves when the message's event is durable: stored with its deliveries, or as a rejected event. Throws only when the
 * bridge stops first, while nothing was stored, or when a rejected event cannot be stored either.
 */
export type TakeMessage = (message: Message) => Promise<void>;

export type MessageIntakeDeps = {
  db: Database;
  waker: Waker;
  log: Logger;
  stopping: AbortSignal;
  countEvent(event: { state: IngestResult['state'] }): void;
};

/**
 * Maximum bytes of the messages that are parsed and stored at once. A parsed message takes several times its size of V8's
 * heap; one that waits is a buffer outside the heap. 32 MiB would be no faster, and take 100 MB more with 64 messages of 1 MB.
 */
const maxBytesAtOnce = 8 * 1024 * 1024;

/**
 * Creates the function that takes messages in. Concurrent messages share a statement. It retries while PostgreSQL is
 * unavailable. After any other error the message becomes a rejected event, so that it does not hold up the messages
 * behind it. `defaultEvent` is the event of messages that name none.
 */
export function createMessageIntake(deps: MessageIntakeDeps, defaultEvent: string | undefined): TakeMessage {
  const { db, log, stopping, countEvent } = deps;
  const retryWhileUnavailable = createRetryWhileUnavailable({ stopping, log, program: 'bridge' });
  const ingest = batched((events: PlatformEvent[]) => ingestEvents(deps, events), { maxSize: batchSize });
  const storeAsRejected = ({ event, data }: ReadMessage, reason: string) =>
    retryWhileUnavailable(() => rejectRawEvent(db, { eventType: event, data, reason }));
  const store = async (read: ReadMessage) => {
    if (read.problem !== undefined) return storeAsRejected(read, read.problem);
    try {
      return await retryWhileUnavailable(() => ingestRawEvent({ db, ingest, log }, read.event, read.data));
    } catch (error) {
      if (error instanceof StoppingError) throw error;
      log.error('event.failed', { event: read.event, ...errorFields(error) });
      return storeAsRejected(read, 'an unexpected error, which is in the log of the bridge');
    }
  };
  const limit = createByteLimiter(maxBytesAtOnce);
  return (message) =>
    limit(message.body.length, async () => {
      const read = readMessage(message, defaultEvent);
      const { eventId, state, reason } = await store(read);
      countEvent({ state });
      log.info('event.ingested', {
        event_id: eventId,
        event: read.event,
        state,
        ...(reason === null ? {} : { reason }),
      });
    });
}
