import { attemptFields, deliveryFields, type SentRequest } from '@ringback/rules';
import type { Attempt, Delivery, DeliveryDetail } from '@ringback/ledger';

type DeliveryJson = ReturnType<typeof deliveryFields> & {
  due_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

/**
 * Formats a delivery with the field names of the management API. `due_at` of a `DeliveryDetail` is null while the
 * delivery's webhook is paused, as in the API. `due_at` of a `Delivery` is always the stored time.
 */
export const deliveryJson = (delivery: Delivery | DeliveryDetail): DeliveryJson => ({
  ...deliveryFields(delivery),
  due_at: delivery.dueAt,
  created_at: delivery.createdAt,
  updated_at: delivery.updatedAt,
});

/** Formats an attempt with the field names of the management API. By default the request has no headers and no body. */
export const attemptJson = (
  { channel }: { channel: string },
  attempt: Omit<Attempt, 'deliveryId'>,
  request: Pick<SentRequest, 'method' | 'url'> = { method: 'POST', url: attempt.url },
) => attemptFields(channel === 'rcs' ? 'rcs' : 'sms', attempt, request);
