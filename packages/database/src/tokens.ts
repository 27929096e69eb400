import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AccessToken as AccessTokenRow, PlatformToken as PlatformTokenRow } from './generated/client.js';
import type { Database } from './open.js';
import { isUuid } from './uuid.js';

/** A token that was just made: the only time that its text is known. */
export type NewToken = { id: string; token: string };

export type AccessToken = Omit<AccessTokenRow, 'hash'>;
export type PlatformToken = Omit<PlatformTokenRow, 'hash'>;

/** A new token: 192 random bits behind a prefix by which scanners of code recognise it. */
export const newToken = (kind: 'access' | 'callback' | 'platform') =>
  `rb_${kind}_${randomBytes(24).toString('base64url')}`;

/** What is kept of a token: SHA-256 in lower-case hex. */
export const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

const omit = { hash: true } as const;
const newestFirst = [{ createdAt: 'desc' as const }, { id: 'desc' as const }];

// How long PostgreSQL takes to find a hash says little; whether it is the one is decided in constant time.
const isSame = (hash: string, other: string) =>
  hash.length === other.length && timingSafeEqual(Buffer.from(hash), Buffer.from(other));

/** Makes a further access token of the account, or returns null when there is no such account. */
export async function createAccessToken(db: Database, accountId: string): Promise<NewToken | null> {
  if (!isUuid(accountId) || (await db.prisma.account.count({ where: { id: accountId } })) === 0) return null;
  const token = newToken('access');
  const { id } = await db.prisma.accessToken.create({ data: { accountId, hash: hashOf(token) } });
  return { id, token };
}

/** The account and token ids behind an access token, or null when it is unknown or revoked. */
export async function findAccessToken(db: Database, token: string): Promise<{ id: string; accountId: string } | null> {
  const hash = hashOf(token);
  const found = await db.prisma.accessToken.findFirst({ where: { hash, revokedAt: null } });
  return found && isSame(found.hash, hash) ? { id: found.id, accountId: found.accountId } : null;
}

/** The account's access tokens, revoked ones included, newest first. */
export async function listAccessTokens(db: Database, accountId: string): Promise<AccessToken[]> {
  if (!isUuid(accountId)) return [];
  return db.prisma.accessToken.findMany({ where: { accountId }, orderBy: newestFirst, omit });
}

/** Ends an access token from the next request on. Null when there is none; one revoked earlier stays as it is. */
export async function revokeAccessToken(db: Database, id: string): Promise<AccessToken | null> {
  if (!isUuid(id)) return null;
  await db.prisma.accessToken.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: new Date() } });
  return db.prisma.accessToken.findUnique({ where: { id }, omit });
}

/** Makes a token with which a platform may push events to `POST /events`. */
export async function createPlatformToken(db: Database, { name }: { name: string }): Promise<NewToken> {
  const token = newToken('platform');
  const { id } = await db.prisma.platformToken.create({ data: { name, hash: hashOf(token) } });
  return { id, token };
}

/** The id behind a platform token, or null when it is unknown or revoked. */
export async function findPlatformToken(db: Database, token: string): Promise<{ id: string } | null> {
  const hash = hashOf(token);
  const found = await db.prisma.platformToken.findFirst({ where: { hash, revokedAt: null } });
  return found && isSame(found.hash, hash) ? { id: found.id } : null;
}

/** All platform tokens, revoked ones included, newest first. */
export async function listPlatformTokens(db: Database): Promise<PlatformToken[]> {
  return db.prisma.platformToken.findMany({ orderBy: newestFirst, omit });
}

/** Ends a platform token from the next request on. Null when there is none; one revoked earlier stays as it is. */
export async function revokePlatformToken(db: Database, id: string): Promise<PlatformToken | null> {
  if (!isUuid(id)) return null;
  await db.prisma.platformToken.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: new Date() } });
  return db.prisma.platformToken.findUnique({ where: { id }, omit });
}
