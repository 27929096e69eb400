import { recordChange } from '../changes.js';
import type { Database } from '../connection/database.js';
import type { Subscription } from '../generated/client.js';
import type { Page } from '../sql/pages.js';
import { text } from '../sql/columns.js';
import { statement } from '../sql/statement.js';

/** A subscription of a webhook to an event, for one identity or for `all`. */
export type NewSubscription = { event: string; identity: string; webhookId: string };

/**
 * One page of the account's subscriptions, newest first, and the number of all. `webhookIds` restricts both to these
 * webhooks.
 */
export async function listSubscriptions(
  db: Database,
  accountId: string,
  { webhookIds, page, perPage }: Page & { webhookIds?: readonly string[] | undefined },
): Promise<{ subscriptions: Subscription[]; total: number }> {
  const where = { accountId, ...(webhookIds ? { webhookId: { in: [...webhookIds] } } : {}) };
  const skip = (page - 1) * perPage;
  const prisma = await db.prisma();
  const total = await prisma.subscription.count({ where });
  if (skip >= total) return { subscriptions: [], total };
  const read = { where, orderBy: { id: 'desc' as const }, skip, take: perPage };
  return { subscriptions: await prisma.subscription.findMany(read), total };
}

/**
 * Maximum webhooks of an account that subscribe to the same event for the same identity. Subscriptions for `all` and
 * for the event's own identity both match, so one event creates at most about 2,000 deliveries.
 */
export const maxSubscribers = 1_000;

/** The account has the maximum number of subscriptions for this event and identity. Nothing was stored. */
export class TooManySubscribersError extends Error {
  override readonly name = 'TooManySubscribersError';
}

/**
 * Subscribes a webhook of the account to an event, and returns the subscription. One that exists is returned as it is.
 * Throws a TooManySubscribersError above `maxSubscribers`. Concurrent requests do not count each other, so they may
 * exceed this number.
 */
export async function subscribe(db: Database, accountId: string, subscription: NewSubscription): Promise<Subscription> {
  const key = { accountId, ...subscription };
  const prisma = await db.prisma();
  const newSubscription = await prisma.$transaction(async (tx) => {
    // Prisma's upsert may read first and then insert, which fails when another request inserts in between.
    const [created] = await tx.subscription.createManyAndReturn({ data: [key], skipDuplicates: true });
    if (!created) return null;
    const { event, identity, webhookId } = created;
    const subscribers = await tx.subscription.count({ where: { accountId, event, identity } });
    if (subscribers > maxSubscribers) throw new TooManySubscribersError('too many subscribers');
    const values = { event, identity, webhook_id: webhookId };
    const changed = Object.entries(values).map(([field, after]) => ({ field, before: null, after }));
    await recordChange(tx, db, { accountId, action: 'subscription.created', objectId: String(created.id), changed });
    return created;
  });
  return (
    newSubscription ?? prisma.subscription.findUniqueOrThrow({ where: { accountId_event_identity_webhookId: key } })
  );
}

const eventsStatement = statement<{ accountId: string; webhookId: string }>(
  'SELECT DISTINCT event FROM subscriptions WHERE webhook_id = $webhookId AND account_id = $accountId',
).returns({ event: text });

/** The events that a webhook of the account is subscribed to, for any identity. */
export async function listSubscribedEvents(db: Database, accountId: string, webhookId: string): Promise<string[]> {
  const rows = await eventsStatement.rows(db.pool, { accountId, webhookId });
  return rows.map(({ event }) => event);
}

/** A subscription of the account. Null when there is none. */
export async function findSubscription(db: Database, accountId: string, id: number): Promise<Subscription | null> {
  return (await db.prisma()).subscription.findFirst({ where: { id, accountId } });
}

/** Deletes a subscription of the account. False when there is none. */
export async function unsubscribe(db: Database, accountId: string, id: number): Promise<boolean> {
  return (await db.prisma()).$transaction(async (tx) => {
    const { count } = await tx.subscription.deleteMany({ where: { id, accountId } });
    if (count === 0) return false;
    await recordChange(tx, db, { accountId, action: 'subscription.deleted', objectId: String(id) });
    return true;
  });
}
