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
  findAccountIds,
  reportIngested,
  type RetryWhileUnavailable,
  StoppingError,
  type StoreResult,
} from '@ringback/ledger';
import { ByteSemaphore, errorFields, type Logger } from '@ringback/process';
import type { NewEvent } from '@ringback/rules';
import { type Message, type MessageForm, readMessage } from './message.js';

type MessageIngesterDeps = {
  db: Database;
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
 * Ingests messages. A message whose event causes an unexpected error becomes a rejected event, so that it does not hold
 * up the messages behind it.
 */
export class MessageIngester {
  readonly #deps: MessageIngesterDeps;
  readonly #form: MessageForm;
  readonly #semaphore = new ByteSemaphore(maxBytesAtOnce);
  readonly #retryWhileUnavailable: RetryWhileUnavailable;
  readonly #events: Batcher<NewEvent, StoreResult>;
  readonly #accountIds: Batcher<string, string | null>;

  constructor(deps: MessageIngesterDeps, form: MessageForm) {
    this.#deps = deps;
    this.#form = form;
    const { stopping, log } = deps;
    this.#retryWhileUnavailable = createRetryWhileUnavailable({ stopping, log, logEvent: 'bridge.waiting' });
    this.#events = new Batcher((events: NewEvent[]) => ingestBatch(deps, events));
    const retry = this.#retryWhileUnavailable;
    this.#accountIds = new Batcher((externalIds: string[]) => findAccountIds(deps.db, externalIds), { retry });
  }

  /**
   * Resolves when the message's event is durable: stored with its deliveries, or as a rejected event. Throws only if
   * the bridge stops before the event is stored, or if a rejected event cannot be stored either.
   */
  async ingest(message: Message): Promise<void> {
    await this.#semaphore.run(message.body.length, async () => {
      const rawEvent = await readMessage(message, this.#form, (externalId) => this.#accountIds.run(externalId));
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
