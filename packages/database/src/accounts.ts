import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Account as AccountRow } from './generated/client.js';
import type { Database } from './open.js';
import { checkSecrets } from './reseal.js';
import { isUuid } from './uuid.js';

/** A customer. Its callback token, which only callbacks need, is left where it is. */
export type Account = Omit<AccountRow, 'callbackToken'>;

/** A token that was just made: the only time that its text is known. */
export type NewToken = { id: string; token: string };

const omit = { callbackToken: true } as const;
const newToken = (kind: string) => `rb_${kind}_${randomBytes(24).toString('base64url')}`;
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

/**
 * Makes an account with its callback token and a first access token, which is returned and not kept. Throws a
 * SecretError rather than storing in clear beside what is sealed.
 */
export async function createAccount(
  db: Database,
  { name }: { name: string },
): Promise<{ id: string; name: string; accessToken: string; callbackToken: string }> {
  if (db.secrets.prefix === null) await checkSecrets(db);
  const accessToken = newToken('access');
  const callbackToken = newToken('callback');
  const id = randomUUID();
  const stored = db.secrets.seal(callbackToken, { column: 'accounts.callback_token', id });
  const accessTokens = { create: { hash: hashOf(accessToken) } };
  await db.prisma.account.create({ data: { id, name, callbackToken: stored, accessTokens } });
  return { id, name, accessToken, callbackToken };
}

export async function findAccount(db: Database, id: string): Promise<Account | null> {
  return isUuid(id) ? db.prisma.account.findUnique({ where: { id }, omit }) : null;
}

/** Newest first. */
export async function listAccounts(db: Database): Promise<Account[]> {
  return db.prisma.account.findMany({ orderBy: { createdAt: 'desc' }, omit });
}

/** Makes a further access token of the account, or returns null when there is no such account. */
export async function createAccessToken(db: Database, accountId: string): Promise<NewToken | null> {
  if ((await findAccount(db, accountId)) === null) return null;
  const token = newToken('access');
  const { id } = await db.prisma.accessToken.create({ data: { accountId, hash: hashOf(token) } });
  return { id, token };
}

/** The account and token ids behind an access token, or null when it is unknown or revoked. */
export async function findAccessToken(db: Database, token: string): Promise<{ id: string; accountId: string } | null> {
  return db.prisma.accessToken.findFirst({
    where: { hash: hashOf(token), revokedAt: null },
    select: { id: true, accountId: true },
  });
}

/** Makes a token with which a platform may push events to `POST /events`. */
export async function createPlatformToken(db: Database, { name }: { name: string }): Promise<NewToken> {
  const token = newToken('platform');
  const { id } = await db.prisma.platformToken.create({ data: { name, hash: hashOf(token) } });
  return { id, token };
}

/** The id behind a platform token, or null when it is unknown or revoked. */
export async function findPlatformToken(db: Database, token: string): Promise<{ id: string } | null> {
  return db.prisma.platformToken.findFirst({ where: { hash: hashOf(token), revokedAt: null }, select: { id: true } });
}
