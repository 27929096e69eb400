import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@ringback/callbacks';
import { changeRow } from './changes.js';
import type { Database } from './open.js';
import { newSigningSecret } from './signing-secrets.js';
import { isUuid } from './uuid.js';
import { type Capacity, requireCapacity } from './webhook-capacity.js';
import { changedFields } from './webhook-changes.js';
import { challenge } from './verifications.js';
import { templateText } from './template-text.js';
import { hidden, openWebhook, sealSecrets, type Webhook } from './webhook-row.js';

export type NewWebhook = {
  name: string;
  uri: string;
  active: boolean;
  secret: string | null;
  verificationCode: string | null;
  payload: JsonObject | null;
  signing: boolean;
  /** Callbacks a second at most; no limit when null or absent. */
  rateLimit?: number | null;
};

/** What an edit may change; a field that is absent keeps its value. */
export type WebhookChanges = Partial<Omit<NewWebhook, 'verificationCode'>>;

/**
 * Registers a webhook; one with a verification code gets its challenge noted in the same transaction. Throws a
 * TooManyWebhooksError beyond `maxWebhooks`, which holds for requests at the same moment, too.
 */
export async function createWebhook(
  db: Database,
  accountId: string,
  { payload, ...webhook }: NewWebhook,
  capacity: Capacity = {},
): Promise<{ webhook: Webhook; verificationId: string | null }> {
  const challenge = webhook.verificationCode === null ? {} : { verifications: { create: {} } };
  const id = randomUUID();
  const signingSecret = db.secrets.seal(newSigningSecret(), { column: 'webhooks.signing_secret', id });
  const sealed = { ...sealSecrets(db, id, webhook), signingSecret };
  const changed = changedFields(null, { ...webhook, payload });
  const change = changeRow(db, { accountId, action: 'webhook.created', objectId: id, changed });
  const { verifications, ...row } = await db.prisma.$transaction(async (tx) => {
    await requireCapacity(tx, accountId, capacity);
    await tx.change.create({ data: change });
    return tx.webhook.create({
      data: { ...webhook, ...sealed, id, accountId, payload: templateText(payload), ...challenge },
      include: { verifications: { select: { id: true } } },
      omit: hidden,
    });
  });
  return { webhook: openWebhook(db, row), verificationId: verifications[0]?.id ?? null };
}

/** The live webhook of the account, or null: unknown, foreign, deleted and malformed ids look the same. */
export async function findWebhook(db: Database, accountId: string, id: string): Promise<Webhook | null> {
  const row = isUuid(id)
    ? await db.prisma.webhook.findFirst({ where: { id, accountId, deletedAt: null }, omit: hidden })
    : null;
  return row && openWebhook(db, row);
}

/** Whose a webhook is, a live one or, with `deletedToo`, any; for operators. Null when there is none of this id. */
export async function findWebhookOwner(db: Database, id: string, { deletedToo = false } = {}): Promise<string | null> {
  if (!isUuid(id)) return null;
  const where = deletedToo ? { id } : { id, deletedAt: null };
  const found = await db.prisma.webhook.findFirst({ where, select: { accountId: true } });
  return found?.accountId ?? null;
}

/**
 * Changes a live webhook of the account and returns it, or null when there is none. With the change of its uri begins
 * another run of its challenge, if it has one: `verificationId`, otherwise null.
 */
export async function editWebhook(
  db: Database,
  accountId: string,
  id: string,
  { payload, ...changes }: WebhookChanges,
): Promise<{ webhook: Webhook; verificationId: string | null } | null> {
  if (!isUuid(id)) return null;
  const sealed = { ...changes, ...sealSecrets(db, id, changes) };
  const data = payload === undefined ? sealed : { ...sealed, payload: templateText(payload) };
  const where = { id, accountId, deletedAt: null };
  return db.prisma.$transaction(async (tx) => {
    // So that of two edits at once the second one notes what the first one left. It keeps no event out.
    await tx.$executeRaw`SELECT FROM webhooks WHERE id = ${id}::uuid AND account_id = ${accountId}::uuid FOR NO KEY UPDATE`;
    const before = await tx.webhook.findFirst({ where, omit: hidden });
    const [after] = await tx.webhook.updateManyAndReturn({ where, data, omit: hidden });
    if (!before || !after) return null;
    const webhook = openWebhook(db, after);
    const changed = changedFields(openWebhook(db, before), webhook);
    const change = { accountId, action: 'webhook.updated' as const, objectId: webhook.id, changed };
    await tx.change.create({ data: changeRow(db, change) });
    const isElsewhere = webhook.uri !== before.uri && after.verificationCode !== null;
    return { webhook, verificationId: isElsewhere ? (await challenge(tx, db, webhook)).id : null };
  });
}

const notPaused = { pausedAt: null, pauseReason: null, pauseNotified: false, failingSince: null };

/** Ends the pause of a live webhook of the account, if it has one, and returns it; null when there is none. */
export async function releaseWebhook(db: Database, accountId: string, id: string): Promise<Webhook | null> {
  if (!isUuid(id)) return null;
  const where = { id, accountId, deletedAt: null, pausedAt: { not: null } };
  await db.prisma.$transaction(async (tx) => {
    const { count } = await tx.webhook.updateMany({ where, data: notPaused });
    const change = { accountId, action: 'webhook.released' as const, objectId: id.toLowerCase() };
    if (count > 0) await tx.change.create({ data: changeRow(db, change) });
  });
  return findWebhook(db, accountId, id);
}

/**
 * Soft-deletes a live webhook of the account: it stays in the table, inactive, and is not paused any more. False when
 * there is none.
 */
export async function deactivateWebhook(db: Database, accountId: string, id: string): Promise<boolean> {
  if (!isUuid(id)) return false;
  const where = { id, accountId, deletedAt: null };
  const data = { active: false, deletedAt: new Date(), ...notPaused };
  return db.prisma.$transaction(async (tx) => {
    const [deleted] = await tx.webhook.updateManyAndReturn({ where, data, select: { id: true } });
    if (!deleted) return false;
    const change = { accountId, action: 'webhook.deleted' as const, objectId: deleted.id };
    await tx.change.create({ data: changeRow(db, change) });
    return true;
  });
}

/**
 * Brings back a webhook of the account, deleted or live, always as active. Null when there is none. Throws a
 * TooManyWebhooksError when it is deleted and the account has `maxWebhooks` others.
 */
export async function restoreWebhook(
  db: Database,
  accountId: string,
  id: string,
  capacity: Capacity = {},
): Promise<Webhook | null> {
  if (!isUuid(id)) return null;
  const data = { active: true, deletedAt: null };
  return db.prisma.$transaction(async (tx) => {
    await requireCapacity(tx, accountId, { ...capacity, restored: id });
    const [restored] = await tx.webhook.updateManyAndReturn({ where: { id, accountId }, data, omit: hidden });
    if (!restored) return null;
    const change = { accountId, action: 'webhook.restored' as const, objectId: restored.id };
    await tx.change.create({ data: changeRow(db, change) });
    return openWebhook(db, restored);
  });
}
