import type pg from 'pg';
import type { ChangeAction, ChangedField } from '../changes.js';
import type { Database } from '../connection/database.js';
import type { SecretLocation } from '../connection/secrets.js';
import { uuid } from '../sql/columns.js';
import { defineRecords, statement } from '../sql/statement.js';

/** What became of a line. Nothing of a refused line was stored. */
export type ImportResult = { state: 'created' | 'updated' | 'unchanged' } | { state: 'refused'; reason: string };

export const refused = (reason: string): ImportResult => ({ state: 'refused', reason });

export type ImportContext = { db: Database; client: pg.PoolClient; isDryRun: boolean };

/** The existing secret of a row; undefined when no configured key decrypts it, so that it differs from any other. */
export function readSecret({ secrets }: Database, stored: string | null, location: SecretLocation) {
  if (stored === null) return null;
  try {
    return secrets.decrypt(stored, location);
  } catch {
    return undefined;
  }
}

/** A value of a line, and for one that the line does not have, `otherwise`. */
export const given = <Value>(value: Value | undefined, otherwise: Value): Value =>
  value === undefined ? otherwise : value;

/** Whether two rows, such as one before and after a line, have the same values. */
export const isSameRow = <Row extends object>(before: Row, after: Row): boolean =>
  (Object.keys(after) as (keyof Row)[]).every((name) => before[name] === after[name]);

/** What a row becomes by a line: without a time of its last change, that is now if the line changes something. */
export function withUpdateTime<Row extends { updatedAt: string | null }>(
  row: Row,
  before: Row | undefined,
  line: { updatedAt?: string | undefined },
): Row {
  const isEdited = line.updatedAt === undefined && before !== undefined && !isSameRow(before, row);
  return isEdited ? { ...row, updatedAt: null } : row;
}

/** The assignments of `ON CONFLICT … DO UPDATE` that overwrite columns with those of the line. */
export const overwriteSql = (columns: string[]): string =>
  columns.map((name) => `${name} = EXCLUDED.${name}`).join(', ');

/** The text of a time column as in `ImportLine`. */
export const timeSql = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const knownAccountsStatement = statement<{ ids: string[] }>(
  'SELECT id FROM accounts WHERE id = ANY($ids::uuid[]) AND deleted_at IS NULL ORDER BY id FOR KEY SHARE',
).returns({ id: uuid });

/** The ids of those accounts that exist. */
async function findKnownAccounts(client: pg.PoolClient, ids: string[]): Promise<Set<string>> {
  return new Set((await knownAccountsStatement.rows(client, { ids })).map(({ id }) => id));
}

const knownWebhooksStatement = statement<{ ids: string[] }>(
  'SELECT id, account_id AS "accountId" FROM webhooks WHERE id = ANY($ids::uuid[]) ORDER BY id FOR KEY SHARE',
).returns({ id: uuid, accountId: uuid });

/** Why an account or webhook of each line is unusable; null if both are usable. Deleted webhooks are usable. */
export async function findUnknownOwners(
  client: pg.PoolClient,
  lines: { accountId: string; webhookId?: string | undefined }[],
): Promise<(string | null)[]> {
  const accounts = await findKnownAccounts(
    client,
    lines.map(({ accountId }) => accountId),
  );
  const ids = lines.flatMap(({ webhookId }) => webhookId ?? []);
  const webhooks = new Map(
    (await knownWebhooksStatement.rows(client, { ids })).map(({ id, accountId }) => [id, accountId]),
  );
  return lines.map(({ accountId, webhookId }) => {
    if (!accounts.has(accountId)) return `account_id: there is no account ${accountId}`;
    if (webhookId === undefined) return null;
    const owner = webhooks.get(webhookId);
    if (owner === undefined) return `webhook_id: there is no webhook ${webhookId}`;
    return owner === accountId ? null : `webhook_id: ${webhookId} is a webhook of another account`;
  });
}

type ImportedChange = {
  accountId: string;
  action: ChangeAction;
  objectId: string;
  changed: ChangedField[];
};

const changeRecords = defineRecords<ImportedChange>({
  account_id: ['uuid', ({ accountId }) => accountId],
  action: ['text', ({ action }) => action],
  object_type: ['text', ({ action }) => action.split('.')[0]],
  object_id: ['text', ({ objectId }) => objectId],
  changed: ['json', ({ changed }) => changed],
});
const recordChangesStatement = statement<{ changes: string; actor: string }>(
  `INSERT INTO changes (account_id, actor, action, object_type, object_id, changed)
    SELECT account_id, $actor::text, action, object_type, object_id, changed FROM ${changeRecords.from('$changes')}`,
);

/** Adds changes to the change history, in the transaction of the batch. */
export async function recordImportedChanges({ client, db }: ImportContext, changes: ImportedChange[]): Promise<void> {
  if (changes.length === 0) return;
  await recordChangesStatement.run(client, { changes: changeRecords.encode(changes), actor: db.actor });
}
