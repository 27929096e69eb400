import { setTimeout as sleep } from 'node:timers/promises';
import { errorFields, type Logger } from '@ringback/process';
import type { Consumer } from './consumer.js';
import { isQueueUnavailable, type QueueHandle } from './engine.js';

// BullMQ's open edition has no groups: workers fetch jobs in the order of arrival. While a flood for one account or
// webhook waits in an event queue, this moves the other events to the front, with BullMQ's `changePriority`.

const roundMs = 250;
/** A consumer that fetched fewer jobs in a round has no flood to take in. */
const minFetched = 50;
/** With fewer waiting events, none waits for long. */
const minWaiting = 200;
const maxMoved = 100;
/** Events are moved if at most so many, or this share of the waiting ones, are for the same account or webhook. */
const smallCount = 10;
const smallShare = 0.02;
/** Payloads may be large: so many characters are read at once, and ten times as many in a round. */
const chunkCharacters = 256 * 1024;

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
  #targets = new Map<string, Target>();
  #moved = new Set<string>();

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
        // The events are then taken in in the order of arrival.
        if (!isQueueUnavailable(error)) log.error('queue.order_failed', { queue: queue.name, ...errorFields(error) });
      }
    }
  }

  /** Moves events to the front that wait behind a flood. */
  async order(): Promise<void> {
    const { queue, limits } = this.#deps;
    // The newest comes first.
    const ids = await queue.getRanges(['waiting'], 0, limits.maxSeen - 1);
    await this.#readTargets(ids.length < minWaiting ? [] : ids);
    const others = this.#findOthers();
    // The one that is moved last is fetched first.
    for (const id of ids.filter((one) => others.has(one)).slice(-maxMoved)) {
      this.#moved.add(id);
      await queue.moveToFront(id);
    }
  }

  /** Forgets jobs that wait no more, and reads whom new ones are for. */
  async #readTargets(ids: string[]): Promise<void> {
    const { queue, limits } = this.#deps;
    const known = new Map<string, Target>();
    const unread: string[] = [];
    for (const id of ids) {
      const target = this.#targets.get(id);
      if (target !== undefined) known.set(id, target);
      else if (unread.length < limits.maxRead) unread.push(id);
    }
    this.#targets = known;
    this.#moved = new Set([...this.#moved].filter((id) => known.has(id)));
    let budget = chunkCharacters * 10;
    let chunkSize = 20;
    for (let start = 0; start < unread.length && budget > 0;) {
      const chunk = unread.slice(start, start + chunkSize);
      const texts = await queue.readData(chunk);
      chunk.forEach((id, index) => known.set(id, readTarget(texts[index] ?? '')));
      const characters = texts.reduce((sum, text) => sum + text.length, 0);
      budget -= characters;
      start += chunk.length;
      chunkSize = Math.ceil(Math.min(500, (chunkCharacters * chunk.length) / Math.max(1, characters)));
    }
  }

  /**
   * The jobs that are not part of a flood and were not moved yet. If an account floods many of its webhooks, only the
   * events of other accounts count. If nobody has most of the waiting events, there is no flood.
   */
  #findOthers(): Set<string> {
    for (const group of ['webhook', 'account'] as const) {
      const counts = new Map<string, number>();
      for (const target of this.#targets.values()) counts.set(target[group], (counts.get(target[group]) ?? 0) + 1);
      const maxCount = Math.max(smallCount, this.#targets.size * smallShare);
      const others = [...this.#targets].filter(([, target]) => (counts.get(target[group]) ?? 0) <= maxCount);
      if (others.length * 2 < this.#targets.size)
        return new Set(others.map(([id]) => id).filter((id) => !this.#moved.has(id)));
    }
    return new Set();
  }
}

/** `webhook`: the account and the webhook that an event names; `account` alone if it names no webhook. */
type Target = { account: string; webhook: string };

/** Ids are UUIDs, but a producer can push anything. */
const readId = (id: unknown) => String(id ?? '').slice(0, 64);

function readTarget(text: string): Target {
  try {
    const { account_id, webhook_id } = JSON.parse(text) as Record<string, unknown>;
    const account = readId(account_id);
    return { account, webhook: `${account} ${readId(webhook_id)}` };
  } catch {
    return { account: '', webhook: '' };
  }
}
