import { v7 as newId } from 'uuid';
import { type EventName, idempotencyKey } from '@ringback/rules';
import { text } from '../sql/columns.js';
import { defineRecords, statement } from '../sql/statement.js';
import { copyEventKeys } from './dry-run.js';
import { findUnknownOwners, type ImportContext, type ImportResult, refused } from './import-batch.js';

/** An event that was taken in elsewhere, by its `event_id` or by its idempotency key. */
export type ImportedEventKey = { accountId: string; webhookId?: string | undefined; event: EventName } & (
  { platformEventId: string; key?: undefined } | { platformEventId?: string | undefined; key: string }
);

type Row = { id: string; line: ImportedEventKey; key: string };

const records = defineRecords<Row>({
  id: ['uuid', ({ id }) => id],
  key: ['text', ({ key }) => key],
  name: ['text', ({ line }) => line.event],
  account_id: ['uuid', ({ line }) => line.accountId],
  webhook_id: ['uuid', ({ line }) => line.webhookId],
  platform_event_id: ['text', ({ line }) => line.platformEventId],
});
// A key without an event counts as an orphan, which the next push of the event would replace. So each key gets an
// event, which has no payload and no deliveries, and is kept as long as others.
const storeStatement = statement<{ rows: string }>(
  `WITH input AS (
  SELECT * FROM ${records.from('$rows')}
), new_keys AS (
  INSERT INTO event_keys (key, event_id) SELECT key, id FROM input ORDER BY key ON CONFLICT (key) DO NOTHING
  RETURNING key, event_id
), new_events AS (
  INSERT INTO events (id, name, account_id, webhook_id, platform_event_id, state, delivery_count)
    SELECT id, name, account_id, webhook_id, platform_event_id, 'unrouted', 0 FROM input
    WHERE id IN (SELECT event_id FROM new_keys)
)
SELECT key FROM new_keys`,
).returns({ key: text });

/** Imports idempotency keys, so that an event that was sent from elsewhere is a duplicate here. */
export async function importEventKeys(context: ImportContext, lines: ImportedEventKey[]): Promise<ImportResult[]> {
  const { client, isDryRun } = context;
  const unknownOwners = await findUnknownOwners(client, lines);
  const rows = lines.map((line) => ({ id: newId(), line, key: keyOf(line) }));
  const known = rows.filter((_row, index) => unknownOwners[index] === null);
  if (isDryRun)
    await copyEventKeys(
      context,
      known.map(({ key }) => key),
    );
  const stored = await storeStatement.rows(client, { rows: records.encode(known) });
  const newKeys = new Set(stored.map(({ key }) => key));
  return rows.map(({ key }, index) => {
    const owner = unknownOwners[index];
    if (typeof owner === 'string') return refused(owner);
    return { state: newKeys.has(key) ? 'created' : 'unchanged' };
  });
}

function keyOf({ accountId, webhookId, event, platformEventId, key }: ImportedEventKey): string {
  if (key !== undefined) return key;
  const none = { identity: null, payload: '{}', messageId: null, mobile: null };
  return idempotencyKey({ ...none, name: event, accountId, webhookId: webhookId ?? null, platformEventId });
}
