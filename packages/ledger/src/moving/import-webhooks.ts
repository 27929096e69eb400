import { type CallbackAddress, type JsonObject, readTemplate, resolveUserinfo, templateText } from '@ringback/rules';
import { boolean, integer, text, uuid } from '../sql/columns.js';
import { defineRecords, namesOf, type RecordColumns, statement } from '../sql/statement.js';
import { newSigningSecret } from '../webhooks/signing-secrets.js';
import { importedPauseSql } from '../webhooks/pauses.js';
import { changedFields } from '../webhooks/webhook-fields.js';
import type { SecretColumn } from '../connection/secrets.js';
import type { Database } from '../connection/database.js';
import {
  findUnknownOwners,
  given,
  type ImportContext,
  type ImportResult,
  isSameRow,
  overwriteSql,
  readSecret,
  recordImportedChanges,
  refused,
  timeSql,
  withUpdateTime,
} from './import-batch.js';
import { deleteOtherSubscriptions } from './import-subscriptions.js';
import {
  findMovedVerifications,
  type ImportedVerification,
  isSameVerification,
  mergedVerification,
  storeVerifications,
} from './moved-verifications.js';

export type ImportedWebhook = {
  id: string;
  accountId: string;
  name: string;
  /** With its user and password. `********` keeps those that the webhook has. */
  uri: string;
  active?: boolean | undefined;
  secret?: string | null | undefined;
  verificationCode?: string | null | undefined;
  bodyTemplate?: JsonObject | null | undefined;
  signing?: boolean | undefined;
  rateLimit?: number | null | undefined;
  tlsCa?: string | null | undefined;
  signingSecret?: string | undefined;
  /** The signing secret before, and until when it signs too. */
  previousSigning?: { secret: string; until: string } | null | undefined;
  paused?: { since: string; reason: 'failing' | 'gone' } | null | undefined;
  verification?: ImportedVerification | undefined;
  createdAt?: string | undefined;
  updatedAt?: string | undefined;
  deletedAt?: string | null | undefined;
  /** All subscriptions of the webhook: others are deleted. */
  subscriptionIds?: number[] | undefined;
};

const secretColumns = {
  userinfo: 'webhooks.userinfo',
  secret: 'webhooks.secret',
  verificationCode: 'webhooks.verification_code',
  signingSecret: 'webhooks.signing_secret',
  previousSigningSecret: 'webhooks.previous_signing_secret',
} as const satisfies Record<string, SecretColumn>;
const secretNames = Object.keys(secretColumns) as (keyof typeof secretColumns)[];

/** A row as it is stored, with its secrets encrypted, or as it is compared, with their texts. */
type Row = {
  id: string;
  accountId: string;
  name: string;
  uri: string;
  userinfo: string | null;
  active: boolean;
  secret: string | null;
  verificationCode: string | null;
  bodyTemplate: string | null;
  signing: boolean;
  signingSecret: string | null;
  previousSigningSecret: string | null;
  previousSignsUntil: string | null;
  rateLimit: number | null;
  tlsCa: string | null;
  pausedAt: string | null;
  pauseReason: string | null;
  createdAt: string | null;
  updatedAt: string | null;
  deletedAt: string | null;
};

/** What is imported and exported of webhooks: the columns of a SELECT, and their types. */
export const webhookSql = `id, account_id AS "accountId", name, uri, userinfo, active, secret, verification_code AS "verificationCode",
      body_template AS "bodyTemplate", signing, signing_secret AS "signingSecret",
      previous_signing_secret AS "previousSigningSecret", ${timeSql('previous_signs_until')} AS "previousSignsUntil", rate_limit AS "rateLimit",
      tls_ca AS "tlsCa", ${timeSql('paused_at')} AS "pausedAt", pause_reason AS "pauseReason",
      ${timeSql('created_at')} AS "createdAt", ${timeSql('updated_at')} AS "updatedAt",
      ${timeSql('deleted_at')} AS "deletedAt"`;
export const webhookColumns = {
  id: uuid,
  accountId: uuid,
  name: text,
  uri: text,
  userinfo: text.orNull,
  active: boolean,
  secret: text.orNull,
  verificationCode: text.orNull,
  bodyTemplate: text.orNull,
  signing: boolean,
  signingSecret: text.orNull,
  previousSigningSecret: text.orNull,
  previousSignsUntil: text.orNull,
  rateLimit: integer.orNull,
  tlsCa: text.orNull,
  pausedAt: text.orNull,
  pauseReason: text.orNull,
  createdAt: text.withoutNulls,
  updatedAt: text.withoutNulls,
  deletedAt: text.orNull,
};

const existingStatement = statement<{ ids: string[] }>(
  `SELECT ${webhookSql}
    FROM webhooks WHERE id = ANY($ids::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
).returns(webhookColumns);

const columns: RecordColumns<Row> = {
  id: ['uuid', ({ id }) => id],
  account_id: ['uuid', ({ accountId }) => accountId],
  name: ['text', ({ name }) => name],
  uri: ['text', ({ uri }) => uri],
  userinfo: ['text', ({ userinfo }) => userinfo],
  active: ['boolean', ({ active }) => active],
  secret: ['text', ({ secret }) => secret],
  verification_code: ['text', ({ verificationCode }) => verificationCode],
  body_template: ['text', ({ bodyTemplate }) => bodyTemplate],
  signing: ['boolean', ({ signing }) => signing],
  signing_secret: ['text', ({ signingSecret }) => signingSecret],
  previous_signing_secret: ['text', ({ previousSigningSecret }) => previousSigningSecret],
  previous_signs_until: ['timestamptz', ({ previousSignsUntil }) => previousSignsUntil],
  rate_limit: ['int', ({ rateLimit }) => rateLimit],
  tls_ca: ['text', ({ tlsCa }) => tlsCa],
  paused_at: ['timestamptz', ({ pausedAt }) => pausedAt],
  pause_reason: ['text', ({ pauseReason }) => pauseReason],
  deleted_at: ['timestamptz', ({ deletedAt }) => deletedAt],
};
const timeColumns: RecordColumns<Row> = {
  created_at: ['timestamptz', ({ createdAt }) => createdAt],
  updated_at: ['timestamptz', ({ updatedAt }) => updatedAt],
};
const records = defineRecords<Row>({ ...columns, ...timeColumns });
const storeStatement = statement<{ rows: string }>(
  `INSERT INTO webhooks AS w (${namesOf(columns)}, pause_notified_at, created_at, updated_at)
    SELECT ${namesOf(columns)}, CASE WHEN paused_at IS NOT NULL THEN clock_timestamp() END,
      COALESCE(created_at, clock_timestamp()), COALESCE(updated_at, clock_timestamp())
      FROM ${records.from('$rows')}
    ON CONFLICT (id) DO UPDATE SET ${importedPauseSql}, ${overwriteSql(
      [...Object.keys(columns), 'created_at', 'updated_at'].filter(
        (name) => !['id', 'account_id', 'paused_at', 'pause_reason'].includes(name),
      ),
    )}`,
);

/**
 * Imports webhooks by their ids. No new verification starts: the receivers notice nothing. A pending one goes on here.
 * A new webhook without a signing secret gets a new one.
 */
export async function importWebhooks(context: ImportContext, lines: ImportedWebhook[]): Promise<ImportResult[]> {
  const { db, client } = context;
  const unknownOwners = await findUnknownOwners(
    client,
    lines.map(({ accountId }) => ({ accountId })),
  );
  const existing = await existingStatement.rows(client, { ids: lines.map(({ id }) => id) });
  const existingById = new Map(existing.map((row) => [row.id, row]));
  const verificationIds = lines.flatMap(({ verification }) => verification?.id ?? []);
  const verificationsById = await findMovedVerifications(client, verificationIds);
  const ownersOfVerifications = new Map([...verificationsById].map(([id, { webhookId }]) => [id, webhookId]));
  const rows: Row[] = [];
  const verifications = [];
  const changes = [];
  const results: ImportResult[] = [];
  for (const [index, line] of lines.entries()) {
    const stored = existingById.get(line.id);
    const before = stored && withReadSecrets(db, stored);
    const address = resolveUserinfo(line.uri, before ?? null);
    const isTaken = line.verification && (ownersOfVerifications.get(line.verification.id) ?? line.id) !== line.id;
    const reason = unknownOwners[index] ?? refusalOf(line, { before, address, isTaken });
    if (reason !== null || address === null) {
      results.push(refused(reason ?? ''));
      continue;
    }
    const verified = line.verification && verificationsById.get(line.verification.id);
    const verification = line.verification && mergedVerification(line.id, line.verification, verified);
    const isVerificationChanged = verification !== undefined && !isSameVerification(verified, verification);
    if (isVerificationChanged) verifications.push(verification);
    if (verification) ownersOfVerifications.set(verification.id, line.id);
    const after = mergedRow({ ...line, ...address }, before);
    if (before && isSameRow(before, after)) {
      results.push({ state: isVerificationChanged ? 'updated' : 'unchanged' });
      continue;
    }
    rows.push(withStoredSecrets(db, after, stored));
    const action = before ? ('webhook.updated' as const) : ('webhook.created' as const);
    const changed = changedFields(before ? settingsOf(before) : null, settingsOf(after));
    changes.push({ accountId: line.accountId, action, objectId: line.id, changed });
    results.push({ state: before ? 'updated' : 'created' });
  }
  if (rows.length > 0) await storeStatement.run(client, { rows: records.encode(rows) });
  await storeVerifications(client, verifications);
  await recordImportedChanges(context, changes);
  const accepted = lines.filter((_line, index) => results[index]?.state !== 'refused');
  const unsubscribed = await deleteOtherSubscriptions(context, accepted);
  return results.map((result, index) => {
    const hasChanged = result.state === 'unchanged' && unsubscribed.has(lines[index]?.id ?? '');
    return hasChanged ? { state: 'updated' } : result;
  });
}

type Compared = { before: Row | undefined; address: CallbackAddress | null; isTaken: boolean | undefined };

function refusalOf({ accountId }: ImportedWebhook, { before, address, isTaken }: Compared): string | null {
  if (before && before.accountId !== accountId) return 'id: it is a webhook of another account';
  if (isTaken) return 'verification.id: it is a verification of another webhook';
  return address === null ? 'uri: it has ******** in place of its user and password' : null;
}

/** The row with the texts of its secrets. One that no key decrypts is null. */
function withReadSecrets(db: Database, row: Row): Row {
  const texts = secretNames.map(
    (name) => [name, readSecret(db, row[name], { column: secretColumns[name], id: row.id }) ?? null] as const,
  );
  return { ...row, ...Object.fromEntries(texts) };
}

/** The row with its secrets as they are stored. One that did not change is stored as it was. */
function withStoredSecrets(db: Database, row: Row, stored: Row | undefined): Row {
  const texts = secretNames.map((name) => {
    const location = { column: secretColumns[name], id: row.id };
    const before = stored?.[name] ?? null;
    const isKept = stored !== undefined && (readSecret(db, before, location) ?? null) === row[name];
    return [name, isKept ? before : row[name] && db.secrets.encrypt(row[name], location)] as const;
  });
  return { ...row, ...Object.fromEntries(texts) };
}

/** What a webhook becomes: the fields of the line, and for those that it does not have, the values so far. */
function mergedRow(line: ImportedWebhook & CallbackAddress, before: Row | undefined): Row {
  const { id, accountId, name, uri, userinfo, bodyTemplate, paused, previousSigning: previous } = line;
  const row: Row = {
    ...{ id, accountId, name, uri, userinfo },
    active: given(line.active, before?.active ?? true),
    secret: given(line.secret, before?.secret ?? null),
    verificationCode: given(line.verificationCode, before?.verificationCode ?? null),
    bodyTemplate: bodyTemplate === undefined ? (before?.bodyTemplate ?? null) : templateText(bodyTemplate),
    signing: given(line.signing, before?.signing ?? true),
    signingSecret: line.signingSecret ?? (before ? before.signingSecret : newSigningSecret()),
    previousSigningSecret:
      previous === undefined ? (before?.previousSigningSecret ?? null) : (previous?.secret ?? null),
    previousSignsUntil: previous === undefined ? (before?.previousSignsUntil ?? null) : (previous?.until ?? null),
    rateLimit: given(line.rateLimit, before?.rateLimit ?? null),
    tlsCa: given(line.tlsCa, before?.tlsCa ?? null),
    pausedAt: paused === undefined ? (before?.pausedAt ?? null) : (paused?.since ?? null),
    pauseReason: paused === undefined ? (before?.pauseReason ?? null) : (paused?.reason ?? null),
    createdAt: given(line.createdAt, before?.createdAt ?? null),
    deletedAt: given(line.deletedAt, before?.deletedAt ?? null),
    updatedAt: given(line.updatedAt, before ? before.updatedAt : (line.createdAt ?? null)),
  };
  return withUpdateTime(row, before, line);
}

const settingsOf = (row: Row) => ({
  ...row,
  bodyTemplate: row.bodyTemplate === null ? null : readTemplate(row.bodyTemplate),
});
