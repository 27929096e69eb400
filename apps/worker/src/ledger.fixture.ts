import {
  acceptEvents,
  type Acceptance,
  type LeaseRequest,
  createAccount,
  createWebhook,
  type Database,
  listDeliveries,
  type NewWebhook,
  openDatabase,
} from '@ringback/database';
import { createTestDatabase } from '@ringback/testing';

export type TestLedger = {
  db: Database;
  accountId: string;
  /** Makes a webhook of the account; its id. */
  makeWebhook(fields?: Partial<NewWebhook>): Promise<string>;
  /** Takes in an SMS report with the id, for a webhook or for those who subscribe. */
  accept(id: string, webhookId: string | null, lease?: LeaseRequest): Promise<Acceptance>;
  /** The same for several at once. */
  acceptAll(reports: [id: string, webhookId: string | null][], lease?: LeaseRequest): Promise<Acceptance[]>;
  /** The ids of the event's deliveries, the oldest first. */
  deliveriesOf(event: { eventId: string }): Promise<string[]>;
  close(): Promise<void>;
};

/** A database of its own with an account, and no worker. */
export async function openTestLedger(): Promise<TestLedger> {
  const database = await createTestDatabase();
  const db = openDatabase({ url: database.url });
  const { id: accountId } = await createAccount(db, { name: 'test' });
  const standard = { name: 'hook', uri: 'http://127.0.0.1:1/', active: true, secret: null, verificationCode: null };
  const report = ([id, webhookId]: [string, string | null]) => ({
    ...{ event: 'sms:message:status' as const, accountId, webhookId, identity: null, eventId: id, mobile: null },
    ...{ payload: `{"id":"${id}", "units":1}`, messageId: id },
  });
  const acceptAll: TestLedger['acceptAll'] = (reports, lease) => acceptEvents(db, reports.map(report), lease);
  return {
    db,
    accountId,
    async makeWebhook(fields = {}) {
      const input = { ...standard, payload: null, signing: true, ...fields };
      return (await createWebhook(db, accountId, input)).webhook.id;
    },
    acceptAll,
    async accept(id, webhookId, lease) {
      const [taken] = await acceptAll([[id, webhookId]], lease);
      if (!taken) throw new Error('the event was not taken in');
      return taken;
    },
    async deliveriesOf({ eventId }) {
      const found = await listDeliveries(db, { eventId, limit: 10_000 });
      return found.map(({ id }) => id).reverse();
    },
    async close() {
      await db.close();
      await database.drop();
    },
  };
}
