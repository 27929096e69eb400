import { createHash, randomUUID } from 'node:crypto';
import { type CallbackAddress, resolveUserinfo, templateText, withoutMask } from '@ringback/rules';
import { recordChange } from '../changes.js';
import type { Database } from '../connection/database.js';
import { lockAccount } from '../connection/lock.js';
import type { Prisma } from '../generated/client.js';
import { isUuid } from '../sql/ids.js';
import { notPaused } from './pauses.js';
import { newSigningSecret } from './signing-secrets.js';
import { startVerificationInTransaction } from './verifications.js';
import {
  changedFields,
  decryptWebhook,
  encryptSecrets,
  hiddenColumns,
  type NewWebhook,
  type StoredWebhook,
  type Webhook,
} from './webhook-fields.js';

/** The fields that an edit may change. An absent field keeps its value. */
export type WebhookUpdate = Partial<Omit<NewWebhook, 'verificationCode'>>;

/**
 * An edit. With `forbidTokenDiversion`, an edit is refused if it would send the account's callback token to an address
 * that did not get it before.
 */
export type WebhookUpdateRequest = WebhookUpdate & VersionCondition & { forbidTokenDiversion?: boolean };

/** What a change expects of the webhook's version: one of these, or `any`. When absent, it is not checked. */
export type VersionCondition = { versions?: readonly string[] | 'any' | undefined };

/** The webhook has another version than the change expects. Nothing was changed. */
export class StaleWebhookError extends Error {
  override readonly name = 'StaleWebhookError';
}

/** The edit would send the account's callback token to an address that did not get it before. Nothing was changed. */
export class CallbackTokenError extends Error {
  override readonly name = 'CallbackTokenError';

  constructor(readonly field: 'uri' | 'secret') {
    super('the edit would send the callback token to an address that did not get it');
  }
}

/** `********` in a uri stands for a user and password that the webhook does not have. Nothing was changed. */
export class UserinfoError extends Error {
  override readonly name = 'UserinfoError';
}

/** The address that a given uri means for a webhook. Throws a UserinfoError. */
function resolveAddress(uri: string, stored: CallbackAddress | null): CallbackAddress {
  const address = resolveUserinfo(uri, stored);
  if (address === null) throw new UserinfoError('the uri has a mask instead of its user and password');
  return address;
}

/** The address of an edit, without the user and password if they are kept: they may be such as no key decrypts. */
function editedAddress(uri: string, before: Webhook): Partial<CallbackAddress> {
  const address = resolveAddress(uri, before);
  const keeps = withoutMask(address.uri) !== address.uri && address.userinfo === before.userinfo;
  return keeps ? { uri: address.uri } : address;
}

/**
 * Creates a webhook. A webhook with a verification code gets a verification in the same transaction, which the change
 * history does not record apart from the webhook. Throws a TooManyWebhooksError above `maxWebhooks`; concurrent
 * requests do not exceed it. Throws a UserinfoError if the uri has `********` for a user or password.
 *
 * With an `idempotencyKey`, the webhook's id is made from the key, and a second creation returns the webhook as it is.
 */
export async function createWebhook(
  db: Database,
  accountId: string,
  given: NewWebhook,
  { idempotencyKey, ...limit }: WebhookLimit & { idempotencyKey?: string | undefined } = {},
): Promise<{ webhook: Webhook; verificationId: string | null }> {
  const id = idempotencyKey === undefined ? randomUUID() : idOfKey(accountId, idempotencyKey);
  const webhook = { ...given, ...resolveAddress(given.uri, null) };
  const signingSecret = db.secrets.encrypt(newSigningSecret(), { column: 'webhooks.signing_secret', id });
  const encrypted = { ...encryptSecrets(db, id, webhook), signingSecret };
  const data = { ...webhook, ...encrypted, bodyTemplate: templateText(webhook.bodyTemplate), id, accountId };
  return (await db.prisma()).$transaction(async (tx) => {
    if (idempotencyKey !== undefined) {
      await lockAccount(tx, accountId);
      const existing = await tx.webhook.findUnique({ where: { id, accountId }, omit: hiddenColumns });
      if (existing) return { webhook: decryptWebhook(db, existing), verificationId: null };
    }
    await requireWebhookCapacity(tx, accountId, limit);
    const changed = changedFields(null, webhook);
    await recordChange(tx, db, { accountId, action: 'webhook.created', objectId: id, changed });
    const row = await tx.webhook.create({ data, omit: hiddenColumns });
    // Two creates: Prisma's nested create would read both rows back.
    const needsVerification = webhook.verificationCode !== null;
    const verification = needsVerification ? await tx.verification.create({ data: { webhookId: id } }) : null;
    return { webhook: decryptWebhook(db, row), verificationId: verification?.id ?? null };
  });
}

/** The id of the webhook that an account creates with an idempotency key: a UUID of version 8. */
function idOfKey(accountId: string, idempotencyKey: string): string {
  const bytes = createHash('sha256').update(`${accountId}\n${idempotencyKey}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** A live webhook of the account. Null for an id that is unknown, malformed, deleted, or of another account. */
export async function findWebhook(db: Database, accountId: string, id: string): Promise<Webhook | null> {
  const row = isUuid(id)
    ? await (await db.prisma()).webhook.findFirst({ where: { id, accountId, deletedAt: null }, omit: hiddenColumns })
    : null;
  return row && decryptWebhook(db, row);
}

/**
 * The account of a webhook, for operators. Deleted webhooks are found only with `includeDeleted`. Null when no webhook
 * is found.
 */
export async function findAccountOfWebhook(
  db: Database,
  id: string,
  { includeDeleted = false } = {},
): Promise<string | null> {
  if (!isUuid(id)) return null;
  const where = includeDeleted ? { id } : { id, deletedAt: null };
  const webhook = await (await db.prisma()).webhook.findFirst({ where, select: { accountId: true } });
  return webhook?.accountId ?? null;
}

/**
 * Changes a live webhook and returns it; null when there is none. A changed uri starts a new verification if the
 * webhook has a verification code: `verificationId` is its id. `********` in the uri keeps its user and password.
 * Throws a StaleWebhookError for an unexpected version, a UserinfoError if they can't be kept, and a CallbackTokenError
 * if `forbidTokenDiversion` refuses the edit.
 */
export async function updateWebhook(
  db: Database,
  accountId: string,
  id: string,
  { bodyTemplate, versions, forbidTokenDiversion = false, ...changes }: WebhookUpdateRequest,
): Promise<{ webhook: Webhook; verificationId: string | null } | null> {
  if (!isUuid(id)) return null;
  const where = { id, accountId, deletedAt: null };
  return (await db.prisma()).$transaction(async (tx) => {
    const stored = await lockWebhook(tx, where);
    if (!stored) return null;
    const before = decryptWebhook(db, stored);
    requireVersion(before, { versions });
    const plain = { ...changes, ...(changes.uri === undefined ? {} : editedAddress(changes.uri, before)) };
    const encrypted = { ...plain, ...encryptSecrets(db, id, plain) };
    const template = bodyTemplate === undefined ? {} : { bodyTemplate: templateText(bodyTemplate) };
    const data: Prisma.WebhookUpdateManyMutationInput = { ...encrypted, ...template };
    const [after] = await tx.webhook.updateManyAndReturn({ where, data, omit: hiddenColumns });
    if (!after) return null;
    if (forbidTokenDiversion) refuseTokenDiversion(stored, after);
    const webhook = decryptWebhook(db, after);
    const changed = changedFields(before, webhook);
    await recordChange(tx, db, { accountId, action: 'webhook.updated', objectId: webhook.id, changed });
    const isMoved = webhook.uri !== before.uri || webhook.userinfo !== before.userinfo;
    const needsVerification = isMoved && after.verificationCode !== null;
    return {
      webhook,
      verificationId: needsVerification ? (await startVerificationInTransaction(tx, db, webhook)).id : null,
    };
  });
}

/**
 * Locks a webhook until the end of the transaction and reads it; null when there is none. Concurrent changes run one
 * after another, so that each sees the version that it changes. The lock does not block events.
 */
async function lockWebhook(
  tx: Prisma.TransactionClient,
  where: { id: string; accountId: string; deletedAt?: null },
): Promise<StoredWebhook | null> {
  const { id, accountId } = where;
  await tx.$executeRaw`SELECT FROM webhooks WHERE id = ${id}::uuid AND account_id = ${accountId}::uuid FOR NO KEY UPDATE`;
  return tx.webhook.findFirst({ where, omit: hiddenColumns });
}

/** Throws a StaleWebhookError if the webhook has none of the expected versions. */
function requireVersion({ version }: Webhook, { versions = 'any' }: VersionCondition): void {
  if (versions !== 'any' && !versions.includes(version)) throw new StaleWebhookError('the webhook was changed');
}

type CallbackTarget = CallbackAddress & { secret: string | null };

/** Whether callbacks carry the account's callback token: nothing of the webhook's own takes its place. */
const carriesCallbackToken = ({ secret, userinfo }: CallbackTarget) => secret === null && userinfo === null;

/**
 * Throws a CallbackTokenError if the edit makes the webhook use the account's callback token, or use it at another
 * address.
 */
function refuseTokenDiversion(before: CallbackTarget, after: CallbackTarget): void {
  if (!carriesCallbackToken(after)) return;
  if (before.secret !== null) throw new CallbackTokenError('secret');
  if (before.uri !== after.uri || before.userinfo !== null) throw new CallbackTokenError('uri');
}

/**
 * Ends the pause of a live webhook of the account, if it is paused, and returns the webhook. Null when there is none.
 */
export async function resumeWebhook(db: Database, accountId: string, id: string): Promise<Webhook | null> {
  if (!isUuid(id)) return null;
  const where = { id, accountId, deletedAt: null, pausedAt: { not: null } };
  await (
    await db.prisma()
  ).$transaction(async (tx) => {
    const { count } = await tx.webhook.updateMany({ where, data: notPaused });
    const objectId = id.toLowerCase();
    if (count > 0) await recordChange(tx, db, { accountId, action: 'webhook.resumed', objectId });
  });
  return findWebhook(db, accountId, id);
}

/**
 * Soft-deletes a live webhook of the account: the row stays, inactive and not paused. False when there is none. Throws
 * a StaleWebhookError for another version than the expected ones.
 */
export async function softDeleteWebhook(
  db: Database,
  accountId: string,
  id: string,
  condition: VersionCondition = {},
): Promise<boolean> {
  if (!isUuid(id)) return false;
  const where = { id, accountId, deletedAt: null };
  const data = { active: false, deletedAt: new Date(), ...notPaused };
  return (await db.prisma()).$transaction(async (tx) => {
    const before = await lockWebhook(tx, where);
    if (!before) return false;
    requireVersion(decryptWebhook(db, before), condition);
    const [deleted] = await tx.webhook.updateManyAndReturn({ where, data, select: { id: true } });
    if (!deleted) return false;
    await recordChange(tx, db, { accountId, action: 'webhook.deleted', objectId: deleted.id });
    return true;
  });
}

/**
 * Restores a webhook of the account, deleted or live, and activates it. Null when there is none. Throws a
 * TooManyWebhooksError when the webhook is deleted and the account has `maxWebhooks` live ones, and a StaleWebhookError
 * for another version than the expected ones.
 */
export async function restoreWebhook(
  db: Database,
  accountId: string,
  id: string,
  { versions, ...limit }: WebhookLimit & VersionCondition = {},
): Promise<Webhook | null> {
  if (!isUuid(id)) return null;
  const data = { active: true, deletedAt: null };
  return (await db.prisma()).$transaction(async (tx) => {
    await requireWebhookCapacity(tx, accountId, { ...limit, restoredId: id });
    const before = await lockWebhook(tx, { id, accountId });
    if (!before) return null;
    requireVersion(decryptWebhook(db, before), { versions });
    const [restored] = await tx.webhook.updateManyAndReturn({ where: { id, accountId }, data, omit: hiddenColumns });
    if (!restored) return null;
    await recordChange(tx, db, { accountId, action: 'webhook.restored', objectId: restored.id });
    return decryptWebhook(db, restored);
  });
}

/** Maximum live webhooks of an account; no limit when absent. */
export type WebhookLimit = { maxWebhooks?: number };

/** The account has the maximum number of live webhooks. Nothing was stored. */
export class TooManyWebhooksError extends Error {
  override readonly name = 'TooManyWebhooksError';
}

/**
 * Throws a TooManyWebhooksError when the account has `maxWebhooks` live webhooks. It locks the account's row until the
 * transaction ends, otherwise concurrent requests would not count each other's. Restoring a live or unknown webhook
 * (`restoredId`) adds none, so it passes.
 */
async function requireWebhookCapacity(
  tx: Prisma.TransactionClient,
  accountId: string,
  { maxWebhooks, restoredId }: WebhookLimit & { restoredId?: string },
): Promise<void> {
  if (maxWebhooks === undefined) return;
  await lockAccount(tx, accountId);
  if (restoredId !== undefined) {
    const deletedWebhook = { id: restoredId, accountId, deletedAt: { not: null } };
    if ((await tx.webhook.count({ where: deletedWebhook })) === 0) return;
  }
  const count = await tx.webhook.count({ where: { accountId, deletedAt: null } });
  if (count >= maxWebhooks) throw new TooManyWebhooksError('too many webhooks');
}
