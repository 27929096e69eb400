import { setImmediate as nextTurn } from 'node:timers/promises';
import { closeWhenReadOnly, EndableWait } from '@ringback/process';
import type { Database } from '../connection/database.js';
import { paceChannel, type PaceAnnouncement, parsePaceAnnouncement } from './announced-paces.js';
import { type Due, listDueOfAccount } from './due.js';
import { text } from '../sql/columns.js';
import { statement } from '../sql/statement.js';

const notificationChannel = 'ringback_due';
const notifyStatement = statement<{ payloads: string[] }>(
  `SELECT pg_notify('${notificationChannel}', p)::text AS sent FROM unnest($payloads::text[]) AS p`,
).returns({ sent: text });
// A NOTIFY payload must be shorter than 8,000 bytes, and a due delivery takes up to 145.
const maxPerPayload = 50;

const textOf = ({ webhookId, channel, accountId, dueAt, id }: Due) =>
  [webhookId, channel, accountId, dueAt, id ?? ''].join('|');

/**
 * SQL: a query that wakes the dispatchers of workers for the due deliveries among the rows `rows`, which have the
 * columns of `deliveries`, when the transaction commits. Each of its rows is a notification that was sent.
 */
export const wakeUpsSql = (rows: string) => `
  SELECT pg_notify('${notificationChannel}',
      string_agg(concat_ws('|', webhook_id, channel, account_id, due_at, id), ','))::text AS sent
    FROM (SELECT *, (row_number() OVER () - 1) / ${maxPerPayload} AS part FROM ${rows} WHERE leased_at IS NULL) due
    GROUP BY part`;

/**
 * Wakes the dispatchers of workers for deliveries that became due in another way than by being stored. NOTIFY takes a
 * lock on the whole database at commit. So the wake-ups of one turn of the event loop share a statement, and so do
 * those that arrive while a statement runs. Errors of sending go to `onError`.
 */
export class Waker {
  readonly #db: Pick<Database, 'pool'>;
  readonly #onError: (error: Error) => void;
  readonly #unsent = new Set<string>();
  #sending: Promise<void> | undefined;

  constructor(db: Pick<Database, 'pool'>, onError: (error: Error) => void) {
    this.#db = db;
    this.#onError = onError;
  }

  /**
   * Announces due deliveries, and returns before the wake-up is sent. If a wake-up is lost, the deliveries wait for the
   * next scan. Deliveries that became due more than 3 s before the last scan wait for the sweep, which a worker
   * starts about every 30 s.
   */
  wake(due: Due[]): void {
    if (due.length === 0) return;
    for (const one of due) this.#unsent.add(textOf(one));
    this.#sending ??= this.#send();
  }

  /** Resolves when each wake-up was sent or has failed. */
  async close(): Promise<void> {
    await this.#sending;
  }

  async #send(): Promise<void> {
    await nextTurn();
    while (this.#unsent.size > 0) {
      const batch = [...this.#unsent];
      this.#unsent.clear();
      const payloads: string[] = [];
      for (let start = 0; start < batch.length; start += maxPerPayload)
        payloads.push(batch.slice(start, start + maxPerPayload).join(','));
      await notifyStatement.run(this.#db.pool, { payloads }).catch(this.#onError);
    }
    this.#sending = undefined;
  }
}

/** Wakes the workers for the due deliveries of an account whose suspension has ended. */
export async function wakeAccount(db: Database, waker: Pick<Waker, 'wake'>, accountId: string): Promise<void> {
  waker.wake(await listDueOfAccount(db, accountId));
}

/** What a listener does when it gets wake-ups or announcements, or may have missed some. */
type WakeUpHooks = {
  /** Called when deliveries are due. */
  onDue(due: Due[]): void;
  /** Called when a worker, maybe this one, announces the paces of overloaded receivers. */
  onPaces?(announcement: PaceAnnouncement): void;
  /** Called when wake-ups may have been missed. */
  onMissed(): void;
  /** Called with the error when the listener cannot connect or listen, once until it listens again. */
  onFailed?(error: unknown): void;
};

const reconnectMs = 1_000;

/**
 * Listens for wake-ups on a connection of the pool until it is stopped. If the connection ends, or its server becomes
 * read-only, it connects again after 1 s. It calls `onMissed` whenever it starts to listen, because wake-ups are lost
 * while there is no connection. Behind a pooler in transaction mode, no wake-up arrives.
 */
export class WakeUpListener {
  readonly #db: Pick<Database, 'pool'>;
  readonly #hooks: WakeUpHooks;
  readonly #untilReconnect = new EndableWait();
  readonly #loop: Promise<void>;
  #isStopped = false;
  #hasFailed = false;
  #disconnect = () => {};

  /** Starts to listen. */
  constructor(db: Pick<Database, 'pool'>, hooks: WakeUpHooks) {
    this.#db = db;
    this.#hooks = hooks;
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#disconnect();
    this.#untilReconnect.end();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#listen().catch((error: unknown) => {
        if (!this.#hasFailed && !this.#isStopped) this.#hooks.onFailed?.(error);
        this.#hasFailed = true;
      });
      if (!this.#isStopped) await this.#untilReconnect.wait(reconnectMs);
    }
  }

  /** Listens on one connection until it ends. */
  async #listen(): Promise<void> {
    const { onDue, onPaces, onMissed } = this.#hooks;
    const client = await this.#db.pool.connect();
    const disconnected = new Promise<void>((resolve) => {
      this.#disconnect = resolve;
      client.once('error', () => resolve());
      client.once('end', () => resolve());
    });
    try {
      client.on('notification', ({ channel, payload = '' }) => {
        if (channel === paceChannel) onPaces?.(parsePaceAnnouncement(payload));
        else onDue(parseWakeUps(payload));
      });
      await client.query(`LISTEN ${notificationChannel}; LISTEN ${paceChannel}`);
      closeWhenReadOnly(client);
      this.#hasFailed = false;
      onMissed();
      if (!this.#isStopped) await disconnected;
    } finally {
      // A connection that listens must not go back to the pool.
      client.release(true);
    }
  }
}

function parseWakeUps(payload: string): Due[] {
  return payload.split(',').flatMap((text) => {
    const [webhookId, channel, accountId, dueAt, id] = text.split('|');
    const isKnown = channel === 'sms' || channel === 'rcs';
    return webhookId && accountId && dueAt && isKnown ? [{ webhookId, channel, accountId, dueAt, id: id || null }] : [];
  });
}
