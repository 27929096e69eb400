import type { Database } from '../connection/open.js';
import type { Attempt, Delivery } from '../generated/client.js';

/** A row of `deliveries` with its rows of `attempts`, oldest first. */
export type DeliveryWithAttempts = Delivery & { attempts: Attempt[] };

/**
 * The newest deliveries of one account or of all, at most `limit`, newest first and with their attempts, for operators.
 * Each other field of the filter, if present, restricts the list.
 */
export async function listNewestDeliveries(
  db: Database,
  filter: { accountId?: string; webhookId?: string; eventId?: string; state?: Delivery['state']; limit: number },
): Promise<DeliveryWithAttempts[]> {
  const { limit, ...where } = filter;
  const include = { attempts: { orderBy: { number: 'asc' as const } } };
  return db.prisma.delivery.findMany({ where, orderBy: { id: 'desc' }, take: limit, include });
}
