import { z } from 'zod';
import type { Subscription } from '@ringback/ledger';
import { timestampSchema, formatTimestamp } from '../http/output/timestamp.js';

const fields = z.object({
  id: z.int(),
  event: z.string(),
  identity: z.string(),
  payload: z.null(),
  webhook_id: z.uuid(),
  created_at: timestampSchema,
});

export const subscriptionSchema = fields.meta({ id: 'Subscription' });
/** The response to a creation, where `payload` is an empty array (docs/reference/api.md#compatible-oddities). */
export const savedSubscriptionSchema = fields
  .extend({ payload: z.array(z.never()).max(0) })
  .meta({ id: 'SavedSubscription' });

/** A subscription in the format of the API. */
export const subscriptionResource = (subscription: Subscription): z.infer<typeof subscriptionSchema> => ({
  id: subscription.id,
  event: subscription.event,
  identity: subscription.identity,
  payload: null,
  webhook_id: subscription.webhookId,
  created_at: formatTimestamp(subscription.createdAt),
});
