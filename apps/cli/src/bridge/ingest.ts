import {
  createRetryWhileUnavailable,
  type Database,
  StoppingError,
  type Waker,
  createRawEventIngester,
  ingestEvents,
  type RawEventDeps,
} from '@ringback/ledger';
import { errorFields, type Logger } from '@ringback/process';
import { createByteSemaphore } from './byte-semaphore.js';
import { type Message, parseMessage } from './message.js';

/**
 * Resolves when the message's event is durable: stored with its deliveries, or as a rejected event. Throws only if the
 * bridge stops before the event is stored, or if a rejected event cannot be stored either.
 */
export type IngestMessage = (message: Message) => Promise<void>;

export type IngestDeps = Pick<RawEventDeps, 'countEvent'> & {
  db: Database;
  waker: Waker;
  log: Logger;
  stopping: AbortSignal;
};

/**
 * Maximum bytes of the messages that are parsed and stored at once; a larger message is processed alone. A parsed
 * message uses several times its size in V8's heap. A message that waits is a buffer outside the heap. 32 MiB would be
 * no faster, and take 100 MB more with 64 messages of 1 MB.
 */
const maxBytesAtOnce = 8 * 1024 * 1024;

const unexpectedError = 'an unexpected error, which is in the log of the bridge';

/**
 * Creates the function that ingests messages. A message whose event causes an unexpected error becomes a rejected
 * event, so that it does not hold up the messages behind it. `defaultEvent` is the event of messages that name none.
 */
export function createMessageIngester(deps: IngestDeps, defaultEvent: string | undefined): IngestMessage {
  const { log, stopping } = deps;
  const ingest = createRawEventIngester({
    ...deps,
    retryWhileUnavailable: createRetryWhileUnavailable({ stopping, log, program: 'bridge' }),
    ingestBatch: (events) => ingestEvents(deps, events),
  });
  const runWithin = createByteSemaphore(maxBytesAtOnce);
  return (message) =>
    runWithin(message.body.length, async () => {
      const rawEvent = parseMessage(message, defaultEvent);
      await ingest(rawEvent).catch((error: unknown) => {
        if (error instanceof StoppingError || rawEvent.unreadableReason !== undefined) throw error;
        log.error('event.failed', { event: rawEvent.name, ...errorFields(error) });
        return ingest({ ...rawEvent, unreadableReason: unexpectedError });
      });
    });
}
