import { hasSameContent, type NewEvent } from '@ringback/rules';
import { text, uuid } from '../sql/columns.js';
import { type Client, preparedStatement } from '../sql/statement.js';

/** An event to be stored under this id, unless an event with the same idempotency key exists. */
export type KeyedEvent = { id: string; event: NewEvent; key: string };

/**
 * Finds idempotency keys and their events. A key whose event was deleted has no event. `contentKeys` are those of the
 * keys whose events are returned with their content. Uses `event_keys_pkey`.
 */
const findByKeysStatement = preparedStatement<{ keys: string[]; contentKeys: string[] }>(
  'find_by_keys',
  `SELECT k.key, e.id AS "eventId", e.identity, CASE WHEN k.key = ANY($contentKeys::text[]) THEN e.payload END AS payload
    FROM event_keys k LEFT JOIN events e ON e.id = k.event_id WHERE k.key = ANY($keys::text[])`,
).returns({ key: text, eventId: uuid.orNull, identity: text.orNull, payload: text.orNull });

/** The event that was stored before with a key. `isConflicting`: the repeated event has another payload or identity. */
export type StoredBefore = { eventId: string; isConflicting: boolean };

/**
 * What was stored before with the keys of these events, by the ids of the events. An event is absent if its key is gone
 * or is an orphan: the event of the key was deleted by hand.
 */
export async function findStoredBefore(client: Client, events: KeyedEvent[]): Promise<Map<string, StoredBefore>> {
  const found = new Map<string, StoredBefore>();
  // A key without an `event_id` covers the content, so only the others can belong to another content.
  const withEventId = events.filter(({ event }) => event.platformEventId !== null);
  const [keys, contentKeys] = [events.map(({ key }) => key), withEventId.map(({ key }) => key)];
  const rows = await findByKeysStatement.rows(client, { keys, contentKeys });
  const rowsByKey = new Map(rows.map((row) => [row.key, row]));
  for (const { id, key, event } of events) {
    const { eventId = null, payload = null, identity = null } = rowsByKey.get(key) ?? {};
    if (eventId === null) continue;
    found.set(id, { eventId, isConflicting: payload !== null && !hasSameContent({ payload, identity }, event) });
  }
  return found;
}

const deleteOrphanKeysStatement = preparedStatement<{ keys: string[] }>(
  'delete_orphan_keys',
  `DELETE FROM event_keys k WHERE k.key = ANY($keys::text[])
    AND NOT EXISTS (SELECT 1 FROM events e WHERE e.id = k.event_id)`,
);

/** Deletes orphan keys, so that an event that was deleted by hand can be stored again. Leaves other keys. */
export async function deleteOrphanKeys(client: Client, events: KeyedEvent[]): Promise<void> {
  await deleteOrphanKeysStatement.run(client, { keys: events.map(({ key }) => key) });
}

const countDuplicatesStatement = preparedStatement<{ eventIds: string[] }>(
  'count_duplicates',
  `WITH duplicates AS (
  SELECT id, count(*)::int AS count FROM unnest($eventIds::uuid[]) AS t(id) GROUP BY id
), locked AS (
  SELECT e.id, d.count FROM events e JOIN duplicates d ON d.id = e.id
    WHERE e.id = ANY($eventIds::uuid[]) ORDER BY e.id FOR NO KEY UPDATE OF e
)
UPDATE events e SET duplicate_count = COALESCE(e.duplicate_count, 0) + l.count, last_duplicate_at = clock_timestamp()
  FROM locked l WHERE e.id = l.id AND e.id = ANY($eventIds::uuid[])`,
);

/**
 * Counts duplicates: `eventIds` has the id of the stored event of each. The events are locked in the order of their
 * ids, so that two batches never deadlock.
 */
export async function countDuplicates(client: Client, eventIds: string[]): Promise<void> {
  await countDuplicatesStatement.run(client, { eventIds });
}
