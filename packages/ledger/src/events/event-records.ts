import { channelOf, idempotencyKey, type NewEvent } from '@ringback/rules';
import { type Columns, defineRecords, namesOf } from '../sql/json-records.js';

/** An event to be stored under this id, unless an event with the same idempotency key exists. */
export type EventCandidate = { id: string; event: NewEvent; key: string };

/** Joins an event with its id and its idempotency key. */
export function toCandidate(id: string, event: NewEvent): EventCandidate {
  return { id, event, key: idempotencyKey(event) };
}

/** The columns that `storeEventsStatement` copies into `events`. */
const storedColumns: Columns<EventCandidate> = {
  id: ['uuid', ({ id }) => id],
  name: ['text', ({ event }) => event.name],
  webhook_id: ['uuid', ({ event }) => event.webhookId],
  identity: ['text', ({ event }) => event.identity],
  platform_event_id: ['text', ({ event }) => event.platformEventId],
  message_id: ['text', ({ event }) => event.messageId],
  mobile: ['text', ({ event }) => event.mobile],
  payload: ['text', ({ event }) => event.payload],
};

/** The columns of `events` that are copied from the input. */
export const storedColumnNames = namesOf(storedColumns);

/** Encodes the candidates as the JSON parameter of the statement that stores them. */
export const candidateRecords = defineRecords<EventCandidate>({
  ...storedColumns,
  key: ['text', ({ key }) => key],
  channel: ['text', ({ event }) => channelOf(event.name)],
  account_id: ['uuid', ({ event }) => event.accountId],
  envelope: ['text', ({ event }) => envelopeOf(event)],
});

/** The JSON of the event as a platform pushes it, with its payload as text. It is stored with a rejected event. */
function envelopeOf({ name, accountId, webhookId, identity, platformEventId, payload }: NewEvent): string {
  const ids = { account_id: accountId, webhook_id: webhookId, identity, event_id: platformEventId };
  return JSON.stringify({ event: name, ...ids, payload });
}
