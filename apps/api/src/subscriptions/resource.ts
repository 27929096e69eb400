import type { Subscription } from '@ringback/database';
import { timestamp } from '../http/envelope.js';

/** A subscription on the wire. */
export const subscriptionResource = (subscription: Subscription) => ({
  id: subscription.id,
  event: subscription.event,
  identity: subscription.identity,
  payload: null,
  webhook_id: subscription.webhookId,
  created_at: timestamp(subscription.createdAt),
});
