import { isUtf8 } from 'node:buffer';
import {
  Batcher,
  createRetryWhileUnavailable,
  type Database,
  type EventCounts,
  ingestBatch,
  type IngestResult,
  parseRawEvent,
  type RawEvent,
  rejectRawEvent,
  rejectUnstorable,
  reportIngested,
  type RetryWhileUnavailable,
  StoppingError,
  type StoreResult,
  type Waker,
} from '@ringback/ledger';
import { errorFields, type Logger } from '@ringback/process';
import { type NewEvent, withExactPayload } from '@ringback/rules';
import { maxDataBytes } from '@ringback/queue';

type IngestDeps = {
  db: Database;
  waker: Waker;
  log: Logger;
  stopping: AbortSignal;
  events: EventCounts;
};

/**
 * Maximum bytes of the messages that are parsed and stored at once; a larger message is processed alone. A parsed
 * message uses several times its size in V8's heap. A message that waits is a buffer outside the heap. 32 MiB would be
 * no faster, and take 100 MB more with 64 messages of 1 MB.
 */
const maxBytesAtOnce = 8 * 1024 * 1024;

const unexpectedError = 'an unexpected error, which is in the log of the bridge';

/**
 * Ingests messages, of which `defaultEvent` names those that name no event. A message whose event causes an unexpected
 * error becomes a rejected event, so that it does not hold up the messages behind it.
 */
export class MessageIngester {
  readonly #deps: IngestDeps;
  readonly #defaultEvent: string | undefined;
  readonly #semaphore = new ByteSemaphore(maxBytesAtOnce);
  readonly #retryWhileUnavailable: RetryWhileUnavailable;
  readonly #events: Batcher<NewEvent, StoreResult>;

  constructor(deps: IngestDeps, defaultEvent: string | undefined) {
    this.#deps = deps;
    this.#defaultEvent = defaultEvent;
    const { stopping, log } = deps;
    this.#retryWhileUnavailable = createRetryWhileUnavailable({ stopping, log, logEvent: 'bridge.waiting' });
    this.#events = new Batcher((events: NewEvent[]) => ingestBatch(deps, events));
  }

  /**
   * Resolves when the message's event is durable: stored with its deliveries, or as a rejected event. Throws only if
   * the bridge stops before the event is stored, or if a rejected event cannot be stored either.
   */
  async ingest(message: Message): Promise<void> {
    await this.#semaphore.run(message.body.length, async () => {
      const rawEvent = parseMessage(message, this.#defaultEvent);
      await this.#ingestRaw(rawEvent).catch((error: unknown) => {
        if (error instanceof StoppingError || rawEvent.unreadableReason !== undefined) throw error;
        this.#deps.log.error('event.failed', { event: rawEvent.name, ...errorFields(error) });
        return this.#ingestRaw({ ...rawEvent, unreadableReason: unexpectedError });
      });
    });
  }

  async #ingestRaw(rawEvent: RawEvent): Promise<void> {
    const result = await this.#retryWhileUnavailable(() => this.#storeOrReject(rawEvent));
    reportIngested(this.#deps, rawEvent.name, result);
  }

  async #storeOrReject(rawEvent: RawEvent): Promise<IngestResult> {
    const parsed = parseRawEvent(rawEvent);
    if (!parsed.ok) return rejectRawEvent(this.#deps.db, rawEvent, parsed.reason);
    return this.#events.run(parsed.event).catch((error: unknown) => rejectUnstorable(this.#deps, rawEvent, error));
  }
}

/** A message of a broker. */
export type Message = {
  body: Buffer;
  /** The event's name according to the message's type or header. */
  event?: string | undefined;
};

// Of a message that is too large, a rejected event keeps only the start.
const keptBytes = 1_000;
const maxNameLength = 255;

/**
 * Parses a message, whose body is the JSON object that `POST /events` takes. The event's name is the body's `event`,
 * else the message's `event`, else `defaultEvent`, and empty if that one is not a valid name. The payload keeps its
 * exact text.
 */
export function parseMessage({ body, event: messageEvent }: Message, defaultEvent: string | undefined): RawEvent {
  const fallback = nameOf(messageEvent || defaultEvent);
  const unreadable = (predicate: string, { name = fallback, bytes = body } = {}): RawEvent => ({
    name,
    data: bytes.toString(),
    unreadableReason: `the message ${predicate}`,
  });
  if (body.length === 0) return unreadable('is empty');
  if (body.length > maxDataBytes)
    return unreadable(`has ${body.length} bytes, and the maximum is ${maxDataBytes}`, {
      bytes: body.subarray(0, keptBytes),
    });
  if (!isUtf8(body)) return unreadable('is not UTF-8');
  const text = body.toString();
  try {
    const data = withExactPayload(JSON.parse(text), text);
    const chosenEvent = eventOf(data) ?? fallback;
    const name = nameOf(chosenEvent);
    return name === chosenEvent ? { name, data } : unreadable('has an event that is not a name', { name });
  } catch {
    return unreadable('is not JSON');
  }
}

/** The `event` of the data; undefined if it is absent or null. */
function eventOf(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !('event' in data)) return undefined;
  return data.event ?? undefined;
}

/** The value when it can be a name, else an empty string. A name is logged and indexed, so it is short. */
const nameOf = (value: unknown): string => (typeof value === 'string' && value.length <= maxNameLength ? value : '');

/**
 * Runs work on at most `maxBytes` bytes at once, in the order of the calls. Work on more bytes than that runs alone.
 */
export class ByteSemaphore {
  readonly #waiting: { bytes: number; start: () => void }[] = [];
  #usedBytes = 0;

  constructor(readonly maxBytes: number) {}

  async run<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((start) => {
      this.#waiting.push({ bytes, start });
      this.#startWaiting();
    });
    try {
      return await work();
    } finally {
      this.#usedBytes -= bytes;
      this.#startWaiting();
    }
  }

  #startWaiting(): void {
    for (let [next] = this.#waiting; next && this.#hasRoomFor(next.bytes); [next] = this.#waiting) {
      this.#waiting.shift();
      this.#usedBytes += next.bytes;
      next.start();
    }
  }

  #hasRoomFor(bytes: number): boolean {
    return this.#usedBytes === 0 || this.#usedBytes + bytes <= this.maxBytes;
  }
}
