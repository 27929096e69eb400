import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Database,
  type DeliveryTask,
  type Due,
  type DueCursor,
  type DueKey,
  type LeaseResult,
  listDueWebhooks,
  WakeUpListener,
  rescueExpiredLeases,
  scanDue,
  unknownDueAt,
  type Waker,
} from '@ringback/ledger';
import { EndableWait, errorFields, type Logger } from '@ringback/process';
import type { ConcurrencyLimiter } from './limits/limiter.js';
import type { WebhookRotation } from './webhook-rotation.js';

export type DueFinderDeps = {
  db: Database;
  log: Pick<Logger, 'warn' | 'error'>;
  /** Wakes other workers for deliveries that this worker releases while it stops. */
  waker: Pick<Waker, 'wake'>;
  rotation: WebhookRotation;
  limiter: Pick<ConcurrencyLimiter, 'hear'>;
};

// After a statement failed, the next one follows no earlier than this.
const failedWaitMs = 500;

/**
 * Finds due deliveries for the rotation. A `NOTIFY` names new ones at once but may be lost, a scan finds what becomes
 * due by the clock, and a sweep of the whole backlog now and then finds what both missed. Deliveries that are rescued,
 * or released by this worker, are added too.
 */
export class DueFinder {
  readonly #deps: DueFinderDeps;
  readonly #scanner: DueScanner;
  readonly #rescuer: LeaseRescuer;
  readonly #sweep: BacklogSweep;
  #stop = async () => {};
  readonly #wait = new EndableWait();
  #isClosed = false;

  constructor(deps: DueFinderDeps) {
    this.#deps = deps;
    this.#scanner = new DueScanner(deps.db);
    this.#rescuer = new LeaseRescuer(deps.db, deps.log);
    this.#sweep = new BacklogSweep(deps.db);
  }

  start(): void {
    const { db, log, rotation, limiter } = this.#deps;
    const listener = new WakeUpListener(db, {
      onDue: (due) => rotation.addFresh(due),
      onPaces: (announcement) => limiter.hear(announcement),
      // Wake-ups may have been missed.
      onMissed: () => this.#scheduleScan(0),
      onFailed: (error) => log.warn('wake_ups.not_heard', errorFields(error)),
    });
    const loop = this.#run();
    this.#stop = async () => void (await Promise.all([listener.stop(), loop]));
  }

  /** Says what the end of a lease left to do. After `close`, other workers are woken for it. */
  leaseEnded({ id, webhookId, channel, accountId }: DeliveryTask, result: LeaseResult): void {
    const due = [{ webhookId, channel, accountId, id, dueAt: unknownDueAt }];
    if (result.type === 'dueIn') this.#scheduleScan(result.waitMs);
    if (result.type !== 'dueNow') return;
    if (this.#isClosed) this.#deps.waker.wake(due);
    else this.#deps.rotation.addBacklog(due);
  }

  /** Leases may have expired because a statement failed and workers cannot record, so the next rescue waits. */
  postponeRescue(): void {
    this.#rescuer.postpone();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wait.end();
    await this.#stop();
  }

  async #run(): Promise<void> {
    const { rotation, log } = this.#deps;
    const finders = [this.#rescuer, this.#sweep, this.#scanner];
    while (!this.#isClosed) {
      for (const finder of finders) {
        if (finder.msUntilNext() > 0) continue;
        try {
          rotation.addBacklog(await finder.find());
        } catch (error) {
          this.postponeRescue();
          log.error('find.failed', errorFields(error));
          await sleep(failedWaitMs);
        }
      }
      if (!this.#isClosed) await this.#wait.wait(Math.min(...finders.map((finder) => finder.msUntilNext())));
    }
  }

  #scheduleScan(ms: number): void {
    this.#scanner.schedule(ms);
    this.#wait.end();
  }
}

const maxScanWaitMs = 1_000;
// Scans are at least this far apart, so that each finds several deliveries under load.
const minScanWaitMs = 25;

/**
 * Finds deliveries that became due recently: when the next one is due, at least 25 ms and at most 1 s after the last
 * scan. A scan reads up to 5,000 deliveries, and the next one continues after them. What became due more than 3 s
 * before the last scan is left to `NOTIFY` and the sweep.
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

  msUntilNext(): number {
    return Math.max(0, Math.max(this.#nextAtMonotonicMs, this.#scannedAtMonotonicMs + minScanWaitMs) - this.#now());
  }

  /** Reports that a delivery becomes due in `ms`, so that the next scan is no later than that. */
  schedule(ms: number): void {
    this.#nextAtMonotonicMs = Math.min(this.#nextAtMonotonicMs, this.#now() + ms);
  }

  /** The deliveries that became due after the last scan, and those of the 3 s before it that still wait. */
  async find(): Promise<Due[]> {
    this.#scannedAtMonotonicMs = this.#now();
    this.#nextAtMonotonicMs = this.#scannedAtMonotonicMs + maxScanWaitMs;
    const { due, position, isComplete, nextDueInMs } = await scanDue(this.#db, this.#position);
    this.#position = position;
    this.schedule(isComplete ? (nextDueInMs ?? maxScanWaitMs) : 0);
    return due;
  }
}

/** Does what costs most at most once in 30 s, and for at most 1 % of the time. */
const restMs = (tookMs: number) => Math.max(30_000, 100 * tookMs);
const pageEveryMs = 100;
const pageSize = 500;

/**
 * Reads all webhooks with due deliveries in pages, at least 100 ms apart. The sweep starts again 30 s after its last
 * page, or later: while VACUUM can't remove the entries of old deliveries from the index, it reads these too.
 */
class BacklogSweep {
  readonly #db: Database;
  #nextAtMonotonicMs = -Infinity;
  #position: DueKey | null = null;
  #tookMs = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  msUntilNext(): number {
    return Math.max(0, this.#nextAtMonotonicMs - performance.now());
  }

  async find(): Promise<Due[]> {
    const startedAtMonotonicMs = performance.now();
    this.#nextAtMonotonicMs = startedAtMonotonicMs + pageEveryMs;
    const { due, next } = await listDueWebhooks(this.#db, { limit: pageSize, after: this.#position });
    this.#position = next;
    this.#tookMs += performance.now() - startedAtMonotonicMs;
    if (next === null) {
      this.#nextAtMonotonicMs = performance.now() + restMs(this.#tookMs);
      this.#tookMs = 0;
    }
    return due;
  }
}

const rescueEveryMs = 1_000;
// After an outage of PostgreSQL, workers get this long to record their attempts before leases are rescued. This is
// longer than any wait of `retryWhileUnavailable`.
const postponeMs = 6_000;

/**
 * Makes deliveries due again whose leases expired: their worker died, or was cut off from PostgreSQL. It reads the
 * leases that expired since the last time, and all of them now and then.
 */
class LeaseRescuer {
  readonly #db: Database;
  readonly #log: Pick<Logger, 'warn'>;
  #nextAtMonotonicMs = -Infinity;
  // The database's times at the last two rescues.
  #rescueTimes: string[] = [];
  // All leases that expired before this time of the database have been rescued.
  #rescuedUntil = unknownDueAt;
  #readsAllAtMonotonicMs = -Infinity;

  constructor(db: Database, log: Pick<Logger, 'warn'>) {
    this.#db = db;
    this.#log = log;
  }

  msUntilNext(): number {
    return Math.max(0, this.#nextAtMonotonicMs - performance.now());
  }

  /** Rescues up to 1,000 deliveries whose leases expired. */
  async find(): Promise<Due[]> {
    const startedAtMonotonicMs = performance.now();
    this.#nextAtMonotonicMs = startedAtMonotonicMs + rescueEveryMs;
    // Rescues only leases that had expired two rescues ago. This gives live workers 1 to 2 s to record after a stall of
    // the database.
    const before = this.#rescueTimes[0] ?? unknownDueAt;
    const readsAll = startedAtMonotonicMs >= this.#readsAllAtMonotonicMs;
    const { rescued, isComplete, now } = await rescueExpiredLeases(this.#db, {
      before,
      from: readsAll ? unknownDueAt : this.#rescuedUntil,
    });
    if (readsAll) this.#readsAllAtMonotonicMs = performance.now() + restMs(performance.now() - startedAtMonotonicMs);
    if (isComplete) this.#rescuedUntil = before;
    this.#rescueTimes = [...this.#rescueTimes, now].slice(-2);
    if (rescued.length > 0) this.#log.warn('lease.expired', { count: rescued.length });
    return rescued;
  }

  /** Postpones the next rescue by 6 s. */
  postpone(): void {
    this.#nextAtMonotonicMs = performance.now() + postponeMs;
  }
}
