import type { Subscription } from './generated/client.js';
import type { Database } from './open.js';

export type { Subscription };

export type NewSubscription = { event: string; identity: string; webhookId: string };

/** One page of the account's subscriptions, newest first, with the number of all. */
export async function listSubscriptions(
  db: Database,
  accountId: string,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ subscriptions: Subscription[]; total: number }> {
  const where = { accountId };
  const total = await db.prisma.subscription.count({ where });
  const skip = (page - 1) * perPage;
  if (skip >= total) return { subscriptions: [], total };
  const orderBy = { id: 'desc' as const };
  return { subscriptions: await db.prisma.subscription.findMany({ where, orderBy, skip, take: perPage }), total };
}

/** Subscribes a webhook of the account to an event; the same triple again returns the one that stands. */
export async function subscribe(db: Database, accountId: string, wanted: NewSubscription): Promise<Subscription> {
  const key = { accountId, ...wanted };
  // An upsert looks first and inserts then, which fails when another request was in between.
  const [made] = await db.prisma.subscription.createManyAndReturn({ data: [key], skipDuplicates: true });
  return made ?? db.prisma.subscription.findUniqueOrThrow({ where: { accountId_event_identity_webhookId: key } });
}

export async function findSubscription(db: Database, accountId: string, id: number): Promise<Subscription | null> {
  return db.prisma.subscription.findFirst({ where: { id, accountId } });
}

/** False when the account has no such subscription. */
export async function unsubscribe(db: Database, accountId: string, id: number): Promise<boolean> {
  const { count } = await db.prisma.subscription.deleteMany({ where: { id, accountId } });
  return count > 0;
}
