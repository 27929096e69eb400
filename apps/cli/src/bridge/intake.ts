import type { PlatformEvent } from '@ringback/callbacks';
import { batched, batchSize, createRetryWhileUnavailable, type Database, type Waker } from '@ringback/database';
import { ingestEvents, ingestRawEvent, type IngestResult, rejectRawEvent } from '@ringback/intake';
import type { Logger } from '@ringback/runtime';
import { type Message, readMessage } from './message.js';

/**
 * Resolves when the message's event is durable: stored with its deliveries, or as a rejected event. Rejects only when the
 * bridge stops first, while nothing was stored.
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
 * Creates the function that takes messages in. Concurrent messages share a statement. It retries while PostgreSQL is
 * unavailable. `defaultEvent` is the event of messages that name none.
 */
export function createMessageIntake(deps: MessageIntakeDeps, defaultEvent: string | undefined): TakeMessage {
  const { db, log, stopping, countEvent } = deps;
  const retryWhileUnavailable = createRetryWhileUnavailable({ stopping, log, program: 'bridge' });
  const ingest = batched((events: PlatformEvent[]) => ingestEvents(deps, events), { maxSize: batchSize });
  const store = ({ event, data, problem }: ReturnType<typeof readMessage>) =>
    problem === undefined
      ? ingestRawEvent({ db, ingest, log }, event, data)
      : rejectRawEvent(db, { eventType: event, data, reason: problem });
  return async (message) => {
    const read = readMessage(message, defaultEvent);
    const { eventId, state, reason } = await retryWhileUnavailable(() => store(read));
    countEvent({ state });
    log.info('event.taken', { event_id: eventId, event: read.event, state, ...(reason === null ? {} : { reason }) });
  };
}
