import { randomUUID } from 'node:crypto';
import { newChangeRow } from '../changes.js';
import type { Database } from '../connection/database.js';
import { requireReadableSecrets } from '../connection/stored-secrets.js';
import type { Account as AccountRow } from '../generated/client.js';
import { isUuid } from '../sql/ids.js';
import { generateToken, prepareAccessToken } from './tokens.js';

/** A customer, without the callback token, which only callbacks need. */
export type Account = Omit<AccountRow, 'callbackToken'>;

const omit = { callbackToken: true } as const;

/**
 * Creates an account with a callback token and a first access token. Only the hash of the access token is stored.
 * Throws an UnreadableSecretError if no key is configured although other secrets are encrypted.
 */
export async function createAccount(
  db: Database,
  { name }: { name: string },
): Promise<{ id: string; name: string; accessToken: string; callbackToken: string }> {
  if (db.secrets.keyIds.length === 0) await requireReadableSecrets(db);
  const callbackToken = generateToken('callback');
  const id = randomUUID();
  const { token: accessToken, row, change: tokenChange } = prepareAccessToken(db, id);
  const stored = db.secrets.encrypt(callbackToken, { column: 'accounts.callback_token', id });
  const changed = [{ field: 'name', before: null, after: name }];
  const change = newChangeRow(db, { accountId: id, action: 'account.created', objectId: id, changed });
  const accessTokens = { create: row };
  await db.prisma.$transaction([
    db.prisma.account.create({ data: { id, name, callbackToken: stored, accessTokens } }),
    db.prisma.change.create({ data: change }),
    db.prisma.change.create({ data: tokenChange }),
  ]);
  return { id, name, accessToken, callbackToken };
}

/** The account with this id. Null if the id is unknown or malformed. */
export async function findAccount(db: Database, id: string): Promise<Account | null> {
  return isUuid(id) ? db.prisma.account.findUnique({ where: { id }, omit }) : null;
}

export async function listAccounts(db: Database): Promise<Account[]> {
  return db.prisma.account.findMany({ orderBy: { createdAt: 'desc' }, omit });
}
