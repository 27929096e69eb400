import { z } from 'zod';
import type { Subscription } from '@ringback/database';
import { time, timestamp } from '../http/envelope.js';

const fields = z.object({
  id: z.int(),
  event: z.string(),
  identity: z.string(),
  payload: z.null(),
  webhook_id: z.uuid(),
  created_at: time,
});

export const subscriptionSchema = fields.meta({ id: 'Subscription' });
/** As the answer to a create has it, where `payload` is an empty array. */
export const savedSubscriptionSchema = fields
  .extend({ payload: z.array(z.never()).max(0) })
  .meta({ id: 'SavedSubscription' });

/** A subscription on the wire. */
export const subscriptionResource = (subscription: Subscription): z.infer<typeof subscriptionSchema> => ({
  id: subscription.id,
  event: subscription.event,
  identity: subscription.identity,
  payload: null,
  webhook_id: subscription.webhookId,
  created_at: timestamp(subscription.createdAt),
});
