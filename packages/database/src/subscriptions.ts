import { logChange } from './changes.js';
import type { Subscription } from './generated/client.js';
import { countKept, type Page, wayTo } from './list.js';
import type { Database } from './open.js';

export type { Subscription };

export type NewSubscription = { event: string; identity: string; webhookId: string };

/** One page of the account's subscriptions, newest first, with the number of all. */
export async function listSubscriptions(
  db: Database,
  accountId: string,
  page: Page,
): Promise<{ subscriptions: Subscription[]; total: number }> {
  const total = await countKept(db, accountId, ['subscriptions']);
  const way = wayTo(page, total);
  if (!way) return { subscriptions: [], total };
  const { skip, take, order, inOrder } = way;
  const rows = await db.prisma.subscription.findMany({ where: { accountId }, orderBy: { id: order }, skip, take });
  return { subscriptions: inOrder(rows), total };
}

/**
 * Maximum webhooks of an account that subscribe to the same event for the same identity. One event makes at most twice as
 * many deliveries, for `all` and for its own identity, in one statement.
 */
export const maxSubscribers = 1_000;

/** The account is at its limit of subscriptions for this event and identity. Nothing was stored. */
export class TooManySubscribersError extends Error {
  override readonly name = 'TooManySubscribersError';
}

/**
 * Subscribes a webhook of the account to an event. If the subscription exists, it is returned. Throws a
 * TooManySubscribersError above `maxSubscribers`, which concurrent requests may exceed by their number.
 */
export async function subscribe(db: Database, accountId: string, subscription: NewSubscription): Promise<Subscription> {
  const key = { accountId, ...subscription };
  const newSubscription = await db.prisma.$transaction(async (tx) => {
    // An upsert reads first and then inserts, which fails when another request inserts in between.
    const [created] = await tx.subscription.createManyAndReturn({ data: [key], skipDuplicates: true });
    if (!created) return null;
    const { event, identity, webhookId } = created;
    const subscribers = await tx.subscription.count({ where: { accountId, event, identity } });
    if (subscribers > maxSubscribers) throw new TooManySubscribersError('too many subscribers');
    const values = { event, identity, webhook_id: webhookId };
    const changed = Object.entries(values).map(([field, after]) => ({ field, before: null, after }));
    await logChange(tx, db, { accountId, action: 'subscription.created', objectId: String(created.id), changed });
    return created;
  });
  return (
    newSubscription ?? db.prisma.subscription.findUniqueOrThrow({ where: { accountId_event_identity_webhookId: key } })
  );
}

/** The events that a webhook of the account is subscribed to, for any identity. */
export async function listSubscribedEvents(db: Database, accountId: string, webhookId: string): Promise<string[]> {
  const { rows } = await db.pool.query<{ event: string }>(
    'SELECT DISTINCT event FROM subscriptions WHERE webhook_id = $1 AND account_id = $2',
    [webhookId, accountId],
  );
  return rows.map(({ event }) => event);
}

export async function findSubscription(db: Database, accountId: string, id: number): Promise<Subscription | null> {
  return db.prisma.subscription.findFirst({ where: { id, accountId } });
}

/** False when the account has no such subscription. */
export async function unsubscribe(db: Database, accountId: string, id: number): Promise<boolean> {
  return db.prisma.$transaction(async (tx) => {
    const { count } = await tx.subscription.deleteMany({ where: { id, accountId } });
    if (count === 0) return false;
    await logChange(tx, db, { accountId, action: 'subscription.deleted', objectId: String(id) });
    return true;
  });
}
