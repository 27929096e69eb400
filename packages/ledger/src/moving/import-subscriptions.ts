import { integer, text, uuid } from '../sql/columns.js';
import { defineRecords, statement } from '../sql/statement.js';
import {
  findUnknownOwners,
  type ImportContext,
  type ImportResult,
  recordImportedChanges,
  refused,
  timeSql,
} from './import-batch.js';

export type ImportedSubscription = {
  id?: number | undefined;
  accountId: string;
  webhookId: string;
  event: string;
  identity: string;
  createdAt?: string | undefined;
};

type Row = Omit<ImportedSubscription, 'id' | 'createdAt'> & { id: number | null; createdAt: string | null };

const records = defineRecords<Row>({
  id: ['int', ({ id }) => id],
  account_id: ['uuid', ({ accountId }) => accountId],
  event: ['text', ({ event }) => event],
  identity: ['text', ({ identity }) => identity],
  webhook_id: ['uuid', ({ webhookId }) => webhookId],
  created_at: ['timestamptz', ({ createdAt }) => createdAt],
});

/** A subscription as it is exported, and compared with its line of an import. */
export const subscriptionColumns = {
  id: integer,
  accountId: uuid,
  webhookId: uuid,
  event: text,
  identity: text,
  createdAt: text.withoutNulls,
};
export const subscriptionSql = `id, account_id AS "accountId", webhook_id AS "webhookId", event, identity,
      ${timeSql('created_at')} AS "createdAt"`;

// Others take ids of the sequence, and insert under them, before a batch or after it: in between, they could take an id
// of the batch, or advance the sequence beyond it.
const lockStatement = statement('LOCK TABLE subscriptions IN SHARE ROW EXCLUSIVE MODE');

// With OR in place of UNION, it would read the whole table.
const existingStatement = statement<{ rows: string }>(
  `SELECT ${subscriptionSql}
    FROM subscriptions WHERE id IN (SELECT t.id FROM ${records.from('$rows')}
      UNION SELECT x.id FROM ${records.from('$rows')} JOIN subscriptions x ON x.account_id = t.account_id
        AND x.event = t.event AND x.identity = t.identity AND x.webhook_id = t.webhook_id)`,
).returns(subscriptionColumns);

const storeStatement = statement<{ rows: string }>(
  `INSERT INTO subscriptions (id, account_id, event, identity, webhook_id, created_at)
    SELECT COALESCE(id, nextval(pg_get_serial_sequence('subscriptions', 'id'))), account_id, event, identity, webhook_id,
      COALESCE(created_at, clock_timestamp()) FROM ${records.from('$rows')}
    ON CONFLICT (id) DO UPDATE SET created_at = EXCLUDED.created_at
    RETURNING ${subscriptionSql}`,
).returns(subscriptionColumns);

// An operator may give the sequence a range that no other installation has. Ids beyond it came with an account.
const continueStatement = statement<{ rows: string }>(
  `SELECT setval(ids.sequence, ids.highest)::int AS id FROM (
      SELECT seqrelid::regclass AS sequence, seqmin,
          (SELECT max(t.id) FROM ${records.from('$rows')} WHERE t.id <= seqmax) AS highest
        FROM pg_sequence WHERE seqrelid = pg_get_serial_sequence('subscriptions', 'id')::regclass
    ) ids WHERE ids.highest > COALESCE(pg_sequence_last_value(ids.sequence), ids.seqmin - 1)`,
).returns({ id: integer });

const keyOf = ({ accountId, event, identity, webhookId }: Omit<Row, 'id' | 'createdAt'>) =>
  JSON.stringify([accountId, event, identity, webhookId]);

/**
 * Imports subscriptions: those with an id by it, the others as the next free ids. New subscriptions continue after the
 * highest imported id that they may have.
 */
export async function importSubscriptions(
  context: ImportContext,
  lines: ImportedSubscription[],
): Promise<ImportResult[]> {
  const { client } = context;
  const unknownOwners = await findUnknownOwners(client, lines);
  await lockStatement.run(client, {});
  const given = lines.map((line) => ({ ...line, id: line.id ?? null, createdAt: line.createdAt ?? null }));
  const existing = await existingStatement.rows(client, { rows: records.encode(given) });
  const existingById = new Map(existing.map((row) => [row.id, row]));
  const existingByKey = new Map(existing.map((row) => [keyOf(row), row]));
  const rows: Row[] = [];
  const newKeys = new Set<string>();
  const results = given.map((line, index): ImportResult => {
    const owner = unknownOwners[index];
    if (typeof owner === 'string') return refused(owner);
    const key = keyOf(line);
    const before = existingByKey.get(key);
    const holder = line.id === null ? undefined : existingById.get(line.id);
    if (holder && keyOf(holder) !== key) return refused(`id: ${line.id} is another subscription`);
    if (before && line.id !== null && before.id !== line.id) return refused(`the subscription exists as ${before.id}`);
    if (before && (line.createdAt === null || line.createdAt === before.createdAt)) return { state: 'unchanged' };
    rows.push({ ...line, id: before?.id ?? line.id });
    if (!before) newKeys.add(key);
    return { state: before ? 'updated' : 'created' };
  });
  if (rows.length === 0) return results;
  const encoded = { rows: records.encode(rows) };
  await continueStatement.rows(client, encoded);
  const stored = await storeStatement.rows(client, encoded);
  const changes = stored
    .filter((row) => newKeys.has(keyOf(row)))
    .map(({ id, accountId, event, identity, webhookId }) => {
      const fields = Object.entries({ event, identity, webhook_id: webhookId });
      const changed = fields.map(([field, after]) => ({ field, before: null, after }));
      return { accountId, action: 'subscription.created' as const, objectId: String(id), changed };
    });
  await recordImportedChanges(context, changes);
  return results;
}

type Webhook = { id: string; subscriptionIds?: number[] | undefined };

const keptRecords = defineRecords<Webhook>({
  webhook_id: ['uuid', ({ id }) => id],
  ids: ['int[]', ({ subscriptionIds }) => subscriptionIds],
});
const deleteOthersStatement = statement<{ kept: string }>(
  `DELETE FROM subscriptions s USING ${keptRecords.from('$kept')}
    WHERE s.webhook_id = t.webhook_id AND s.id <> ALL (t.ids)
    RETURNING s.id, s.account_id AS "accountId", s.webhook_id AS "webhookId"`,
).returns({ id: integer, accountId: uuid, webhookId: uuid });

/**
 * Deletes the subscriptions that webhooks with `subscriptionIds` have beside these. Returns the ids of such webhooks.
 */
export async function deleteOtherSubscriptions(context: ImportContext, webhooks: Webhook[]): Promise<Set<string>> {
  const kept = webhooks.filter(({ subscriptionIds }) => subscriptionIds !== undefined);
  if (kept.length === 0) return new Set();
  const deleted = await deleteOthersStatement.rows(context.client, { kept: keptRecords.encode(kept) });
  const changes = deleted.map(({ id, accountId }) => {
    return { accountId, action: 'subscription.deleted' as const, objectId: String(id), changed: [] };
  });
  await recordImportedChanges(context, changes);
  return new Set(deleted.map(({ webhookId }) => webhookId));
}
