import {
  storeEvents,
  type StoreResult,
  type AttemptRecord,
  type LeaseRequest,
  createAccount,
  createWebhook,
  type Database,
  type Due,
  listNewestDeliveries,
  type NewWebhook,
  openDatabase,
} from './index.js';
import type { Channel } from '@ringback/rules';
import { createTestDatabase } from '@ringback/testing';
import { text, uuid } from './sql/columns.js';
import { statement } from './sql/statement.js';

export type TestLedger = {
  url: string;
  db: Database;
  /** Opens another connection pool with the planner settings of a worker. */
  openWorkerDb(): Database;
  accountId: string;
  /** Creates a webhook of the account; resolves with its id. */
  makeWebhook(fields?: Partial<NewWebhook>): Promise<string>;
  /** Stores an SMS report with this id, for one webhook, or with null for the subscribed ones. */
  store(id: string, webhookId: string | null, lease?: LeaseRequest): Promise<StoreResult>;
  /** Stores several SMS reports in one statement. */
  storeAll(reports: [id: string, webhookId: string | null][], lease?: LeaseRequest): Promise<StoreResult[]>;
  /** The ids of the event's deliveries, the oldest first. */
  deliveriesOf(event: { eventId: string }): Promise<string[]>;
  /** The event's deliveries without a lease, the oldest first. */
  dueOf(event: { eventId: string }): Promise<Due[]>;
  close(): Promise<void>;
};

/** An attempt to record whose receiver responded with 200, without its delivery and start. */
export const deliveredAttempt: Omit<AttemptRecord, 'deliveryId' | 'startedAt'> = {
  event: 'sms:message:status',
  number: 1,
  durationMs: 130,
  outcome: 'response',
  statusCode: 200,
  errorCode: null,
  advice: null,
  url: 'http://127.0.0.1:1/',
  responseBody: null,
  warnings: [],
  kind: 'scheduled',
  state: 'delivered',
  waitMs: null,
  endedAtMonotonicMs: performance.now(),
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  firstByteMs: null,
  remoteAddress: null,
  requestHeaders: {},
  requestBody: null,
  responseHeaders: null,
};

const dueStatement = statement<{ eventId: string }>(
  `SELECT id, channel, webhook_id AS "webhookId", account_id AS "accountId", due_at::text AS "dueAt" FROM deliveries
    WHERE event_id = $eventId AND leased_at IS NULL ORDER BY id`,
).returns({ id: uuid, channel: text.as<Channel>(), webhookId: uuid, accountId: uuid, dueAt: text });

/** A new database with an account, and no worker. */
export async function openTestLedger(): Promise<TestLedger> {
  const database = await createTestDatabase();
  const db = openDatabase({ url: database.url, connectTimeoutMs: 60_000 });
  const { id: accountId } = await createAccount(db, { name: 'test' });
  const defaultFields = {
    name: 'hook',
    uri: 'http://127.0.0.1:1/',
    active: true,
    secret: null,
    verificationCode: null,
  };
  const report = ([id, webhookId]: [string, string | null]) => ({
    name: 'sms:message:status' as const,
    accountId,
    webhookId,
    identity: null,
    platformEventId: id,
    mobile: null,
    payload: `{"id":"${id}", "units":1}`,
    messageId: id,
  });
  const storeAll: TestLedger['storeAll'] = (reports, lease) => storeEvents(db, reports.map(report), lease);
  return {
    url: database.url,
    db,
    openWorkerDb: () => openDatabase({ url: database.url, planner: 'indexes', connectTimeoutMs: 60_000 }),
    accountId,
    async makeWebhook(fields = {}) {
      const input = { ...defaultFields, bodyTemplate: null, signing: true, ...fields };
      return (await createWebhook(db, accountId, input)).webhook.id;
    },
    storeAll,
    async store(id, webhookId, lease) {
      const [stored] = await storeAll([[id, webhookId]], lease);
      if (!stored) throw new Error('the event was not stored');
      return stored;
    },
    async deliveriesOf({ eventId }) {
      const deliveries = await listNewestDeliveries(db, { eventId, limit: 10_000 });
      return deliveries.map(({ id }) => id).reverse();
    },
    async dueOf({ eventId }) {
      return dueStatement.rows(db.pool, { eventId });
    },
    async close() {
      await db.close();
      await database.drop();
    },
  };
}
