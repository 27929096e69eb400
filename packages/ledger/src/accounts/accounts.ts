import { randomUUID } from 'node:crypto';
import type { PortalTheme } from '@ringback/rules';
import { type ChangedField, newChangeRow, recordChange } from '../changes.js';
import type { Database } from '../connection/database.js';
import { lockAccount } from '../connection/lock.js';
import { requireReadableSecrets } from '../connection/stored-secrets.js';
import type { Account as AccountRow, Prisma } from '../generated/client.js';
import { isUuid } from '../sql/ids.js';
import { generateToken, prepareAccessToken } from './tokens.js';

/** A customer, without the callback token, which only callbacks need. A deleted account is not found. */
export type Account = Omit<AccountRow, 'callbackToken' | 'deletedAt' | 'theme'> & {
  /** The look of the portal for its sessions, whose own themes win over it. */
  theme: PortalTheme | null;
};

export const accountStatuses = ['active', 'suspended'] as const;

/** A suspended account's tokens and events are refused, and its deliveries wait. */
export type AccountStatus = (typeof accountStatuses)[number];

export const statusOf = ({ suspendedAt }: Pick<Account, 'suspendedAt'>): AccountStatus =>
  suspendedAt === null ? 'active' : 'suspended';

type AccountFields = { name: string; externalId: string | null; status: AccountStatus; theme: PortalTheme | null };

/** The fields that a change may set. An absent field keeps its value. */
export type AccountUpdate = { [Name in keyof AccountFields]?: AccountFields[Name] | undefined };

/** The fields of a new account. */
export type NewAccount = AccountUpdate & Pick<AccountFields, 'name'>;

/** `isActivated`: the account was suspended, and its waiting deliveries may go on (`wakeAccount`). */
export type UpdatedAccount = { account: Account; isActivated: boolean };

/** Another account has the external id. Nothing was stored. */
export class ExternalIdTakenError extends Error {
  override readonly name = 'ExternalIdTakenError';
}

const omit = { callbackToken: true, deletedAt: true } as const;

type StoredAccount = Omit<AccountRow, 'callbackToken' | 'deletedAt'>;

const toAccount = (row: StoredAccount): Account => ({ ...row, theme: parseTheme(row.theme) });

/** Reads a stored theme. Only checked ones are stored. */
export const parseTheme = (text: string | null): PortalTheme | null =>
  text === null ? null : (JSON.parse(text) as PortalTheme);

/**
 * Creates an account with a callback token and a first access token. Only the hash of the access token is stored.
 * Throws an UnreadableSecretError if no key is configured although other secrets are encrypted.
 */
export async function createAccount(
  db: Database,
  fields: NewAccount,
): Promise<{ id: string; name: string; accessToken: string; callbackToken: string }> {
  const id = randomUUID();
  const { token: accessToken, row, change } = prepareAccessToken(db, id);
  const { callbackToken } = await insertAccount(db, id, fields, async (tx) => {
    await tx.accessToken.create({ data: { ...row, accountId: id } });
    await tx.change.create({ data: change });
  });
  return { id, name: fields.name, accessToken, callbackToken };
}

type CreatedAccount = { account: Account; callbackToken: string };

/** Stores a new account under an id that no account has, or that of a deleted one, whose row it takes over. */
async function insertAccount(
  db: Database,
  id: string,
  { name, externalId = null, status = 'active', theme = null }: NewAccount,
  alsoStore?: (tx: Prisma.TransactionClient) => Promise<void>,
): Promise<CreatedAccount> {
  if (db.secrets.keyIds.length === 0) await requireReadableSecrets(db);
  const callbackToken = generateToken('callback');
  const stored = db.secrets.encrypt(callbackToken, { column: 'accounts.callback_token', id });
  const suspendedAt = suspendedAtOf(status);
  const data = { name, externalId, callbackToken: stored, suspendedAt, theme: theme && JSON.stringify(theme) };
  const fields = changedAccountFields(null, { name, externalId, status, theme });
  const prisma = await db.prisma();
  const account = await prisma
    .$transaction(async (tx) => {
      const since = new Date();
      const revival = { ...data, otherInstallation: null, createdAt: since, updatedAt: since, deletedAt: null };
      const [revived] = await tx.account.updateManyAndReturn({
        where: { id, deletedAt: { not: null } },
        data: revival,
        omit,
      });
      const created = revived ?? (await tx.account.create({ data: { ...data, id }, omit }));
      await recordChange(tx, db, { accountId: id, action: 'account.created', objectId: id, changed: fields });
      await alsoStore?.(tx);
      return created;
    })
    .catch(rethrowUniqueViolation);
  return { account: toAccount(account), callbackToken };
}

const suspendedAtOf = (status: AccountStatus) => (status === 'suspended' ? new Date() : null);

function rethrowUniqueViolation(error: unknown): never {
  const isViolation = error instanceof Error && 'code' in error && error.code === 'P2002';
  throw isViolation ? new ExternalIdTakenError('another account has the external id') : error;
}

/** The fields that differ; of a new account, those that are not the default. Of a theme, only the name is recorded. */
export function changedAccountFields(before: AccountFields | null, after: AccountFields): ChangedField[] {
  const previous = before ?? { name: null, externalId: null, status: 'active', theme: null };
  const fields: ChangedField[] = [
    { field: 'name', before: previous.name, after: after.name },
    { field: 'external_id', before: previous.externalId, after: after.externalId },
    { field: 'status', before: previous.status, after: after.status },
  ];
  const isThemeSame = JSON.stringify(previous.theme) === JSON.stringify(after.theme);
  return [...fields.filter((field) => field.before !== field.after), ...(isThemeSame ? [] : [{ field: 'theme' }])];
}

/**
 * Creates the account with this id, or changes it. Only a new account has a `callbackToken` here. Throws an
 * ExternalIdTakenError. `id` must be a UUID.
 */
export async function putAccount(
  db: Database,
  id: string,
  fields: NewAccount,
): Promise<UpdatedAccount & { callbackToken: string | null }> {
  const lowerCaseId = id.toLowerCase();
  const updated = await updateAccount(db, lowerCaseId, fields);
  if (updated) return { ...updated, callbackToken: null };
  try {
    return { ...(await insertAccount(db, lowerCaseId, fields)), isActivated: false };
  } catch (error) {
    // A concurrent call may have created the account.
    const created = error instanceof ExternalIdTakenError ? await updateAccount(db, lowerCaseId, fields) : null;
    if (!created) throw error;
    return { ...created, callbackToken: null };
  }
}

/** Changes an account and returns it. Null when there is none. Throws an ExternalIdTakenError. */
export async function updateAccount(
  db: Database,
  id: string,
  { name, externalId, status, theme }: AccountUpdate,
): Promise<UpdatedAccount | null> {
  if (!isUuid(id)) return null;
  const prisma = await db.prisma();
  return prisma
    .$transaction(async (tx) => {
      if (!(await lockAccount(tx, id))) return null;
      const account = toAccount(await tx.account.findUniqueOrThrow({ where: { id }, omit }));
      const before = { ...account, status: statusOf(account) };
      const after = {
        name: name ?? before.name,
        externalId: externalId === undefined ? before.externalId : externalId,
        status: status ?? before.status,
        theme: theme === undefined ? before.theme : theme,
      };
      const changed = changedAccountFields(before, after);
      if (changed.length === 0) return { account, isActivated: false };
      await recordChange(tx, db, { accountId: account.id, action: 'account.updated', objectId: account.id, changed });
      const suspension = after.status === before.status ? {} : { suspendedAt: suspendedAtOf(after.status) };
      const { status: _status, theme: newTheme, ...texts } = after;
      const data = { ...texts, theme: newTheme && JSON.stringify(newTheme), ...suspension, updatedAt: new Date() };
      const isActivated = before.status === 'suspended' && after.status === 'active';
      return { account: toAccount(await tx.account.update({ where: { id }, data, omit })), isActivated };
    })
    .catch(rethrowUniqueViolation);
}

/** Sets the URL of the installation that has the other half of the account's history. Null when there is no account. */
export async function setOtherInstallation(db: Database, id: string, url: string | null): Promise<Account | null> {
  if (!isUuid(id)) return null;
  const prisma = await db.prisma();
  return prisma.$transaction(async (tx) => {
    if (!(await lockAccount(tx, id))) return null;
    const account = toAccount(await tx.account.findUniqueOrThrow({ where: { id }, omit }));
    if (account.otherInstallation === url) return account;
    const changed = [{ field: 'other_installation', before: account.otherInstallation, after: url }];
    await recordChange(tx, db, { accountId: account.id, action: 'account.updated', objectId: account.id, changed });
    const data = { otherInstallation: url, updatedAt: new Date() };
    return toAccount(await tx.account.update({ where: { id }, data, omit }));
  });
}

/**
 * Replaces the callback token of an account, and returns the new one. Callbacks have it from their next attempt on, and
 * the old one is gone, because a callback carries only one. Null when there is no such account.
 */
export async function rotateCallbackToken(db: Database, id: string): Promise<CreatedAccount | null> {
  if (!isUuid(id)) return null;
  if (db.secrets.keyIds.length === 0) await requireReadableSecrets(db);
  const callbackToken = generateToken('callback');
  const accountId = id.toLowerCase();
  const stored = db.secrets.encrypt(callbackToken, { column: 'accounts.callback_token', id: accountId });
  const where = { id: accountId, deletedAt: null };
  const data = { callbackToken: stored, updatedAt: new Date() };
  const account = await (
    await db.prisma()
  ).$transaction(async (tx) => {
    const [updated] = await tx.account.updateManyAndReturn({ where, data, omit });
    if (!updated) return null;
    const change = newChangeRow(db, { accountId, action: 'callback_token.rotated', objectId: accountId });
    await tx.change.create({ data: change });
    return updated;
  });
  return account && { account: toAccount(account), callbackToken };
}

/** The account with this id. Null if the id is unknown or malformed. */
export async function findAccount(db: Database, id: string): Promise<Account | null> {
  if (!isUuid(id)) return null;
  const found = await (await db.prisma()).account.findFirst({ where: { id, deletedAt: null }, omit });
  return found && toAccount(found);
}
