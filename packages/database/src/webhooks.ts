import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@ringback/callbacks';
import type { Webhook } from './generated/client.js';
import type { Database } from './open.js';
import { isUuid } from './uuid.js';

export type { Webhook };

export type NewWebhook = {
  name: string;
  uri: string;
  active: boolean;
  secret: string | null;
  verificationCode: string | null;
  payload: JsonObject | null;
  signing: boolean;
};

/** What an edit may change; a field that is absent keeps its value. */
export type WebhookChanges = Partial<Omit<NewWebhook, 'verificationCode'>>;

export type WebhookFilter = {
  /** Case-insensitive parts of the name, of which one must fit; empty means all. */
  names: string[];
  trashed: 'without' | 'with' | 'only';
};

const deletedAt = { without: null, with: undefined, only: { not: null } } as const;
const literal = (text: string) => text.replace(/[\\%_]/g, '\\$&');

/** The columns of a webhook under the names of its fields. */
const columnOf = {
  id: 'id',
  accountId: 'account_id',
  name: 'name',
  uri: 'uri',
  secret: 'secret',
  verificationCode: 'verification_code',
  active: 'active',
  payload: 'payload',
  signing: 'signing',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  deletedAt: 'deleted_at',
} as const satisfies Record<keyof Webhook, string>;
const isField = (name: string): name is keyof Webhook => name in columnOf;
const fieldNames = Object.keys(columnOf).filter(isField);
const selected = fieldNames.map((field) => `${columnOf[field]} AS "${field}"`).join(', ');

type Kept = Pick<Webhook, 'secret' | 'verificationCode'>;
const columns = { secret: 'webhooks.secret', verificationCode: 'webhooks.verification_code' } as const;
const fields = ['secret', 'verificationCode'] as const;

/** What to store of the secrets that are given. */
function seal({ secrets }: Database, id: string, given: Partial<Kept>): Partial<Kept> {
  const sealed = fields.map(
    (field) => [field, given[field] && secrets.seal(given[field], { column: columns[field], id })] as const,
  );
  return Object.fromEntries(sealed.filter(([, text]) => text !== undefined));
}

/** The webhook of a row, its secrets as they were given. */
function open({ secrets }: Database, row: Webhook): Webhook {
  const read = (field: (typeof fields)[number]) =>
    row[field] && secrets.open(row[field], { column: columns[field], id: row.id });
  return { ...row, secret: read('secret'), verificationCode: read('verificationCode') };
}

/** One page of the account's webhooks, newest first, with the number of all that fit the filter. */
export async function listWebhooks(
  db: Database,
  accountId: string,
  { names, trashed, page, perPage }: WebhookFilter & { page: number; perPage: number },
): Promise<{ webhooks: Webhook[]; total: number }> {
  const named = names.map((name) => ({ name: { contains: literal(name), mode: 'insensitive' as const } }));
  const where = {
    accountId,
    ...(deletedAt[trashed] === undefined ? {} : { deletedAt: deletedAt[trashed] }),
    ...(named.length > 0 ? { OR: named } : {}),
  };
  const total = await db.prisma.webhook.count({ where });
  const skip = (page - 1) * perPage;
  if (skip >= total) return { webhooks: [], total };
  const orderBy = [{ createdAt: 'desc' as const }, { id: 'desc' as const }];
  const rows = await db.prisma.webhook.findMany({ where, orderBy, skip, take: perPage });
  return { webhooks: rows.map((row) => open(db, row)), total };
}

// Written as SQL, for two things that Prisma does in this process: it tells the time, and it loses a key `__proto__`.
const insert = `WITH made AS (
    INSERT INTO webhooks (id, account_id, name, uri, secret, verification_code, active, payload, signing)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8::json, $9) RETURNING ${selected}
  ), challenge AS (
    INSERT INTO verifications (webhook_id) SELECT id FROM made WHERE "verificationCode" IS NOT NULL RETURNING id
  )
  SELECT made.*, challenge.id AS "verificationId" FROM made LEFT JOIN challenge ON true`;

/** Registers a webhook; one with a verification code gets its challenge noted in the same statement. */
export async function createWebhook(
  db: Database,
  accountId: string,
  webhook: NewWebhook,
): Promise<{ webhook: Webhook; verificationId: string | null }> {
  const id = randomUUID();
  const { name, uri, secret, verificationCode, active, payload, signing } = { ...webhook, ...seal(db, id, webhook) };
  const values = [id, accountId, name, uri, secret, verificationCode, active, textOf(payload), signing];
  const { rows } = await db.pool.query<Webhook & { verificationId: string | null }>(insert, values);
  const [made] = rows;
  if (!made) throw new Error('the webhook was not stored');
  const { verificationId, ...created } = made;
  return { webhook: open(db, created), verificationId };
}

const textOf = (payload: JsonObject | null) => payload && JSON.stringify(payload);

/** The live webhook of the account, or null: unknown, foreign, deleted and malformed ids look the same. */
export async function findWebhook(db: Database, accountId: string, id: string): Promise<Webhook | null> {
  const row = isUuid(id) ? await db.prisma.webhook.findFirst({ where: { id, accountId, deletedAt: null } }) : null;
  return row && open(db, row);
}

/** Changes a live webhook of the account and returns it, or null when there is none. */
export async function editWebhook(
  db: Database,
  accountId: string,
  id: string,
  { payload, ...changes }: WebhookChanges,
): Promise<Webhook | null> {
  if (!isUuid(id)) return null;
  const sealed = { ...changes, ...seal(db, id, changes) };
  const set = payload === undefined ? sealed : { ...sealed, payload: textOf(payload) };
  const edited = await change(db, { accountId, id, liveOnly: true }, set);
  return edited && open(db, edited);
}

/** Soft-deletes a live webhook of the account: it stays in the table, inactive. False when there is none. */
export async function deactivateWebhook(db: Database, accountId: string, id: string): Promise<boolean> {
  if (!isUuid(id)) return false;
  const deleted = ['deleted_at = clock_timestamp()'];
  return (await change(db, { accountId, id, liveOnly: true }, { active: false }, deleted)) !== null;
}

/** Brings back a webhook of the account, deleted or live, always as active. Null when there is none. */
export async function restoreWebhook(db: Database, accountId: string, id: string): Promise<Webhook | null> {
  if (!isUuid(id)) return null;
  const restored = await change(db, { accountId, id, liveOnly: false }, { active: true }, ['deleted_at = NULL']);
  return restored && open(db, restored);
}

type Changed = Partial<Record<keyof Webhook, string | boolean | null>>;

/**
 * Sets fields of a webhook of the account, and `more` in SQL; when that was, the database's clock says. Returns the row
 * with its secrets as they are stored, so that a webhook whose secret cannot be opened can be deleted all the same.
 */
async function change(
  db: Database,
  { accountId, id, liveOnly }: { accountId: string; id: string; liveOnly: boolean },
  changed: Changed,
  more: string[] = [],
): Promise<Webhook | null> {
  const given = fieldNames.filter((field) => changed[field] !== undefined);
  const values = given.map((field, index) => `${columnOf[field]} = $${index + 3}`);
  const set = [...values, ...more, 'updated_at = clock_timestamp()'].join(', ');
  const { rows } = await db.pool.query<Webhook>(
    `UPDATE webhooks SET ${set}
      WHERE id = $1 AND account_id = $2 ${liveOnly ? 'AND deleted_at IS NULL' : ''} RETURNING ${selected}`,
    [id, accountId, ...given.map((field) => changed[field])],
  );
  return rows[0] ?? null;
}
