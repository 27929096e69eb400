import { setTimeout as sleep } from 'node:timers/promises';
import { errorFields, type Logger } from '@ringback/process';
import type { Consumer } from './consumer.js';
import { isQueueUnavailable, type QueueHandle } from './engine.js';

// BullMQ's open edition has no groups: workers fetch jobs in the order of arrival. While a flood for one account or
// webhook waits in an event queue, this moves the other events to the front, with BullMQ's `changePriority`.

const roundMs = 250;
/** A consumer that fetched fewer jobs in a round is not busy. BullMQ gives only hundreds of jobs/s in PostgreSQL. */
const minFetched = 10;
/** With fewer waiting events, none waits for long. */
const minWaiting = 200;
const maxMoved = 100;
/** Events are moved if at most so many, or this share of the waiting ones, are for the same account or webhook. */
const smallCount = 10;
const smallShare = 0.02;
/** Payloads may be large: a round reads about so many characters, by the average of the first few jobs. */
const maxCharacters = 2_000_000;
const sampleSize = 20;

/** What one round may look at: the newest waiting jobs, and the data of how many of them. */
export type FairOrderLimits = { maxSeen: number; maxRead: number };

export type FairOrderDeps = {
  queue: Pick<QueueHandle, 'name' | 'getRanges' | 'readData' | 'moveToFront'>;
  consumer: Pick<Consumer, 'fetchedCount'>;
  limits: FairOrderLimits;
  log: Pick<Logger, 'error'>;
};

/** Keeps the order of an event queue fair while its consumer is busy, until it is stopped. */
export class FairOrder {
  readonly #deps: FairOrderDeps;
  readonly #loop: Promise<void>;
  readonly #stopping = new AbortController();
  /** Whom waiting jobs are for, by the jobs' ids. */
  #recipients = new Map<string, Recipient>();
  #moved = new Set<string>();
  #seen = new Set<string>();

  constructor(deps: FairOrderDeps) {
    this.#deps = deps;
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { consumer, queue, log } = this.#deps;
    const { signal } = this.#stopping;
    let fetchedCount = consumer.fetchedCount();
    for (;;) {
      await sleep(roundMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const fetched = consumer.fetchedCount() - fetchedCount;
      fetchedCount += fetched;
      if (fetched < minFetched) continue;
      try {
        await this.order();
      } catch (error) {
        // Until the next round, events are stored in the order of arrival.
        if (!isQueueUnavailable(error)) log.error('queue.order_failed', { queue: queue.name, ...errorFields(error) });
      }
    }
  }

  /** Moves events to the front that wait behind a flood. */
  async order(): Promise<void> {
    const { queue, limits } = this.#deps;
    // The newest comes first.
    const ids = await queue.getRanges(['waiting'], 0, limits.maxSeen - 1);
    await this.#readRecipients(ids.length < minWaiting ? [] : ids);
    const others = this.#findOthers();
    const moved = ids.filter((id) => others.has(id)).slice(-maxMoved);
    if (moved.length === 0) return;
    for (const id of moved) this.#moved.add(id);
    await queue.moveToFront(moved);
  }

  /** Forgets jobs that wait no more, and reads whom new ones are for. */
  async #readRecipients(ids: string[]): Promise<void> {
    const { queue, limits } = this.#deps;
    const known = new Map<string, Recipient>();
    const arrived: string[] = [];
    const older: string[] = [];
    for (const id of ids) {
      const recipient = this.#recipients.get(id);
      if (recipient !== undefined) known.set(id, recipient);
      else (this.#seen.has(id) ? older : arrived).push(id);
    }
    this.#seen = new Set(ids);
    // A round must not take long, so most of the older ones are left to later rounds.
    const unread = [...arrived, ...older.slice(0, limits.maxRead / 5)].slice(0, limits.maxRead);
    this.#recipients = known;
    this.#moved = new Set([...this.#moved].filter((id) => known.has(id)));
    const read = async (some: string[]): Promise<number> => {
      const texts = await queue.readData(some);
      some.forEach((id, index) => known.set(id, readRecipient(texts[index] ?? '')));
      return texts.reduce((sum, text) => sum + text.length, 0);
    };
    const sample = unread.slice(0, sampleSize);
    if (sample.length === 0) return;
    const charactersEach = Math.max(1, await read(sample)) / sample.length;
    await read(unread.slice(sampleSize, Math.max(sampleSize, Math.floor(maxCharacters / charactersEach))));
  }

  /**
   * The jobs that are not part of a flood and were not moved yet. If an account floods many of its webhooks, only the
   * events of other accounts count. If nobody has most of the waiting events, there is no flood.
   */
  #findOthers(): Set<string> {
    for (const group of ['webhook', 'account'] as const) {
      const counts = new Map<string, number>();
      for (const recipient of this.#recipients.values())
        counts.set(recipient[group], (counts.get(recipient[group]) ?? 0) + 1);
      const maxCount = Math.max(smallCount, this.#recipients.size * smallShare);
      const others = [...this.#recipients].filter(([, recipient]) => (counts.get(recipient[group]) ?? 0) <= maxCount);
      if (others.length * 2 < this.#recipients.size)
        return new Set(others.map(([id]) => id).filter((id) => !this.#moved.has(id)));
    }
    return new Set();
  }
}

/** `webhook`: the account and the webhook that an event names; `account` alone if it names no webhook. */
type Recipient = { account: string; webhook: string };

/** Ids are UUIDs, but a producer can push anything. */
const recipientId = (id: unknown) => String(id ?? '').slice(0, 64);

function readRecipient(text: string): Recipient {
  try {
    const { account_id, webhook_id } = JSON.parse(text) as Record<string, unknown>;
    const account = recipientId(account_id);
    return { account, webhook: `${account} ${recipientId(webhook_id)}` };
  } catch {
    return { account: '', webhook: '' };
  }
}
