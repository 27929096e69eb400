import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel } from '@ringback/rules';
import {
  type Database,
  type DeliveryTask,
  type DueCursor,
  type LeaseResult,
  listDueWebhooks,
  listenForWakeUps,
  rescueExpiredLeases,
  scanDue,
  type Waker,
  type DueKey,
} from '@ringback/ledger';
import { errorFields, type Logger } from '@ringback/process';
import { WebhookRotation } from './webhook-rotation.js';

export type DueWebhooksDeps = {
  db: Database;
  log: Pick<Logger, 'warn'>;
  /** Wakes other workers for deliveries that this worker releases while it stops. */
  waker: Pick<Waker, 'wake'>;
};

/**
 * The webhooks that have due deliveries. They are found in three ways, each of which finds what the previous one may
 * miss: wake-ups name fresh deliveries, a scan finds deliveries that become due, and a sweep reads the whole backlog
 * every 30 s. Deliveries whose expired leases are rescued, and those that this worker releases, are due too.
 */
export class DueWebhooks {
  readonly rotation: WebhookRotation;
  /** The steps that find webhooks. Each does nothing until its next statement is due. */
  readonly finders: (() => Promise<void>)[];
  readonly #deps: DueWebhooksDeps;
  readonly #scanner: DueScanner;
  readonly #rescuer: LeaseRescuer;
  readonly #sweep: BacklogSweep;
  #stopListening: (() => Promise<void>) | undefined;
  #hasChanged = false;
  #endWait = () => {};
  #isClosed = false;

  constructor(deps: DueWebhooksDeps, channels: Channel[]) {
    this.#deps = deps;
    this.rotation = new WebhookRotation({ channels });
    this.#scanner = new DueScanner(deps.db);
    this.#rescuer = new LeaseRescuer(deps.db, deps.log);
    this.#sweep = new BacklogSweep(deps.db);
    this.finders = [
      async () => this.rotation.addBacklog(await this.#rescuer.rescue()),
      async () => this.rotation.addBacklog(await this.#sweep.next()),
      async () => this.rotation.addBacklog(await this.#scanner.scan()),
    ];
  }

  /** Listens for wake-ups, until `close`. */
  listen(): void {
    this.#stopListening = listenForWakeUps(this.#deps.db, {
      onDue: (due) => {
        this.rotation.addFresh(due);
        this.#change();
      },
      // Wake-ups may have been missed.
      onMissed: () => {
        this.#scanner.scheduleScan(0);
        this.#change();
      },
      onFailed: (error) => this.#deps.log.warn('wake_ups.not_heard', errorFields(error)),
    });
  }

  /** Leases may have expired because a statement failed and workers cannot record, so the next rescue waits. */
  postponeRescue(): void {
    this.#rescuer.postpone();
  }

  /** Says what the end of a lease left to do. After `close`, other workers are woken for it. */
  leaseEnded({ webhookId, channel, accountId }: DeliveryTask, result: LeaseResult): void {
    const due = [{ webhookId, channel, accountId }];
    if (result.type === 'dueIn') this.#scanner.scheduleScan(result.waitMs);
    if (result.type === 'dueNow') {
      if (this.#isClosed) this.#deps.waker.wake(due);
      else this.rotation.addBacklog(due);
    }
    if (result.type === 'dueIn' || this.rotation.size > 0) this.#change();
  }

  /** Resolves when the next scan or claim is due, at the latest after `ms`, or as soon as there is something new. */
  async waitForChange(ms: number): Promise<void> {
    const waitMs = Math.min(ms, this.#scanner.msUntilNextScan(), this.rotation.msUntilRateLimitWaitEnds());
    if (!this.#hasChanged && waitMs > 0) {
      const abort = new AbortController();
      const changed = new Promise<void>((resolve) => (this.#endWait = resolve));
      await Promise.race([sleep(waitMs, undefined, abort).catch(() => undefined), changed]);
      abort.abort();
    }
    this.#hasChanged = false;
  }

  /** Stops listening, and ends the wait for a change. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#change();
    await this.#stopListening?.();
  }

  #change(): void {
    this.#hasChanged = true;
    this.#endWait();
  }
}

const maxScanWaitMs = 1_000;
// Scans are at least this far apart, so that each finds several deliveries under load.
const minScanWaitMs = 25;

/**
 * Finds webhooks whose deliveries became due recently. A scan is due when the next delivery becomes due, at the latest
 * 1 s and at the earliest 25 ms after the last scan. A scan reads at most 5,000 deliveries; the next scan continues
 * after them. Deliveries that became due more than 3 s before the last scan are only found by wake-ups and by the sweep.
 */
export class DueScanner {
  readonly #db: Database;
  readonly #now: () => number;
  #position: DueCursor | null = null;
  #scannedAtMonotonicMs = -Infinity;
  #nextAtMonotonicMs = -Infinity;

  constructor(db: Database, now = () => performance.now()) {
    this.#db = db;
    this.#now = now;
  }

  msUntilNextScan(): number {
    return Math.max(0, this.#nextScanAt() - this.#now());
  }

  /** Reports that a delivery becomes due in `ms`, so that the next scan is no later than that. */
  scheduleScan(ms: number): void {
    this.#nextAtMonotonicMs = Math.min(this.#nextAtMonotonicMs, this.#now() + ms);
  }

  /**
   * Resolves with the webhooks that have waiting deliveries which became due after the last scan or in the 3 s before
   * it. While it is too early for a scan, resolves with an empty list.
   */
  async scan(): Promise<DueKey[]> {
    if (this.#now() < this.#nextScanAt()) return [];
    this.#scannedAtMonotonicMs = this.#now();
    this.#nextAtMonotonicMs = this.#scannedAtMonotonicMs + maxScanWaitMs;
    const { dueWebhooks, position, isComplete, nextDueInMs } = await scanDue(this.#db, this.#position);
    this.#position = position;
    this.scheduleScan(isComplete ? (nextDueInMs ?? maxScanWaitMs) : 0);
    return dueWebhooks;
  }

  #nextScanAt(): number {
    return Math.max(this.#nextAtMonotonicMs, this.#scannedAtMonotonicMs + minScanWaitMs);
  }
}

const sweepEveryMs = 30_000;
const pageEveryMs = 100;
const pageSize = 500;

/**
 * Reads all webhooks with due deliveries in pages, at least 100 ms apart. The sweep starts again 30 s after its last
 * page.
 */
class BacklogSweep {
  readonly #db: Database;
  #readAtMonotonicMs = -Infinity;
  #position: DueKey | null = null;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Resolves with the next page, or with an empty list while it is too early for one. */
  async next(): Promise<DueKey[]> {
    const waitMs = this.#position === null ? sweepEveryMs : pageEveryMs;
    if (performance.now() - this.#readAtMonotonicMs < waitMs) return [];
    this.#readAtMonotonicMs = performance.now();
    const { due, next } = await listDueWebhooks(this.#db, { limit: pageSize, after: this.#position });
    this.#position = next;
    return due;
  }
}

const rescueEveryMs = 1_000;
// After an outage of PostgreSQL, workers get this long to record their attempts before leases are rescued. This is
// longer than any wait of `retryWhileUnavailable`.
const postponeMs = 6_000;

/** Makes deliveries due again whose leases expired: their worker died, or was cut off from PostgreSQL. */
class LeaseRescuer {
  readonly #db: Database;
  readonly #log: Pick<Logger, 'warn'>;
  #nextAtMonotonicMs = -Infinity;
  // The database's times at the last two rescues.
  #rescueTimes: string[] = [];

  constructor(db: Database, log: Pick<Logger, 'warn'>) {
    this.#db = db;
    this.#log = log;
  }

  /**
   * Rescues up to 1,000 deliveries whose leases expired, at most once a second. Resolves with their webhooks; with an
   * empty list while it is too early.
   */
  async rescue(): Promise<DueKey[]> {
    const now = performance.now();
    if (now < this.#nextAtMonotonicMs) return [];
    this.#nextAtMonotonicMs = now + rescueEveryMs;
    // Rescues only leases that had expired two rescues ago. This gives live workers 1 to 2 s to record after a stall of
    // the database.
    const { rescued, now: serverTime } = await rescueExpiredLeases(this.#db, this.#rescueTimes[0] ?? '-infinity');
    this.#rescueTimes = [...this.#rescueTimes, serverTime].slice(-2);
    const count = rescued.reduce((sum, webhook) => sum + webhook.count, 0);
    if (count > 0) this.#log.warn('lease.expired', { count });
    return rescued;
  }

  /** Postpones the next rescue by 6 s. */
  postpone(): void {
    this.#nextAtMonotonicMs = performance.now() + postponeMs;
  }
}
