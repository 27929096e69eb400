import type { Database } from '../connection/open.js';
import { type DeliveryTask, payloadInTask, type TaskRow, toTask } from '../deliveries/delivery-task.js';
import type { WebhookChannel } from '../deliveries/webhook-channel.js';
import type { Event } from '../generated/client.js';
import type { EventCandidate } from './event-records.js';

/**
 * What became of a pushed event: it was stored now, as routed, unrouted or rejected, or it is a duplicate of an event
 * that was stored before.
 */
export type IngestState = Event['state'] | 'duplicate';

/** What became of one event. */
export type StoreResult = {
  /** The id of the event. For a duplicate, that of the event that was stored before. */
  eventId: string;
  state: IngestState;
  /** Why the event is rejected; null if it is not. */
  reason: string | null;
  /** Whether it is a duplicate that has the `event_id` of the stored event, but another payload or identity. */
  isConflicting: boolean;
  /** The account that the deliveries belong to; null without deliveries. */
  accountId: string | null;
  /** The number of deliveries that were stored; 0 for a duplicate. */
  deliveryCount: number;
  /** The deliveries that are leased to the caller. */
  leased: DeliveryTask[];
  /** The webhooks of the other deliveries, which any worker may claim. */
  dueWebhooks: WebhookChannel[];
};

/** The fields of a new delivery's task that are known without reading its row. */
type KnownField = 'state' | 'attemptCount' | 'expiredLeaseCount' | 'isResend' | 'eventId' | 'eventName' | 'payload';

/** A row of `storeEventsStatement`: an event with one of its deliveries, or without one. */
export type StoredRow = Pick<StoreResult, 'eventId' | 'reason'> & { eventState: Event['state'] } & (
    Omit<TaskRow, KnownField> | { id: null }
  );

const withoutDeliveries = () => ({ accountId: null, deliveryCount: 0, leased: [], dueWebhooks: [] });

/** Turns the rows of a stored event into its result. */
export function toStoreResult(db: Database, { id: eventId, event }: EventCandidate, rows: StoredRow[]): StoreResult {
  const { eventState: state = 'unrouted', reason = null } = rows[0] ?? {};
  const result: StoreResult = { eventId, state, reason, isConflicting: false, ...withoutDeliveries() };
  const knownFields: Pick<TaskRow, KnownField> = {
    state: 'pending',
    attemptCount: 0,
    expiredLeaseCount: 0,
    isResend: false,
    eventId,
    eventName: event.name,
    payload: payloadInTask(event.payload),
  };
  for (const row of rows) {
    if (row.id === null) continue;
    result.deliveryCount++;
    result.accountId = row.accountId;
    const { channel, webhookId, accountId } = row;
    if (row.leasedAt !== null) result.leased.push(toTask(db, { ...row, ...knownFields }));
    else result.dueWebhooks.push({ webhookId, channel, accountId });
  }
  return result;
}

/** The result for an event whose key was found. `eventId` is the id of the event that was stored before. */
export const toDuplicate = (eventId: string, { isConflicting }: { isConflicting: boolean }): StoreResult => ({
  eventId,
  state: 'duplicate',
  reason: null,
  isConflicting,
  ...withoutDeliveries(),
});
