import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { batched } from './batch.js';
import { changeRow, logChange } from './changes.js';
import type { AccessToken as AccessTokenRow, PlatformToken as PlatformTokenRow, Scope } from './generated/client.js';
import type { Database } from './open.js';
import { statement } from './statement.js';
import { isUuid } from './uuid.js';

/** A new token. Its text is not stored, so this is the only time that it is known. */
export type NewToken = { id: string; token: string };

export type { Scope };

/** The scopes of an access token: to read, to change, and to resend deliveries. */
export const scopes = ['read', 'write', 'replay'] as const satisfies readonly Scope[];

export type AccessToken = Omit<AccessTokenRow, 'hash'>;
export type PlatformToken = Omit<PlatformTokenRow, 'hash'>;

/** A new token: 192 random bits behind a prefix by which scanners of code recognise it. */
export const newToken = (kind: 'access' | 'callback' | 'platform') =>
  `rb_${kind}_${randomBytes(24).toString('base64url')}`;

/** The stored form of a token: its SHA-256 in lower-case hex. */
export const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

const omit = { hash: true } as const;
const newestFirst = [{ createdAt: 'desc' as const }, { id: 'desc' as const }];

// The time of the index lookup tells little about a hash. The final comparison takes constant time.
const isSame = (hash: string, other: string) =>
  hash.length === other.length && timingSafeEqual(Buffer.from(hash), Buffer.from(other));

/** The row of a new access token, and the row of the log of changes. */
export function newAccessToken(db: Database, accountId: string, requested: readonly Scope[] = scopes) {
  const token = newToken('access');
  const granted = scopes.filter((scope) => requested.includes(scope));
  const row = { id: randomUUID(), hash: hashOf(token), scopes: granted };
  const changed = [{ field: 'scopes', before: null, after: granted.join(',') }];
  const change = changeRow(db, { accountId, action: 'token.created', objectId: row.id, changed });
  return { token, row, change };
}

/** Creates another access token of the account, or returns null when there is no such account. */
export async function createAccessToken(
  db: Database,
  accountId: string,
  requested?: readonly Scope[],
): Promise<(NewToken & { scopes: Scope[] }) | null> {
  if (!isUuid(accountId) || (await db.prisma.account.count({ where: { id: accountId } })) === 0) return null;
  const { token, row, change } = newAccessToken(db, accountId, requested);
  const creation = db.prisma.accessToken.create({ data: { ...row, accountId } });
  await db.prisma.$transaction([creation, db.prisma.change.create({ data: change })]);
  return { id: row.id, token, scopes: row.scopes };
}

type KnownToken = Pick<AccessToken, 'id' | 'accountId' | 'scopes'>;

const findAccessTokens = statement(
  'find_access_tokens',
  `SELECT hash, id, account_id AS "accountId", scopes::text[] AS scopes FROM access_tokens
    WHERE hash = ANY($hashes::text[]) AND revoked_at IS NULL`,
);
const findPlatformTokens = statement(
  'find_platform_tokens',
  `SELECT hash, id FROM platform_tokens WHERE hash = ANY($hashes::text[]) AND revoked_at IS NULL`,
);
const maxTokens = 1_000;

/** Finds the account, the id and the scopes of an access token, or null when it is unknown or revoked. */
export function createTokenFinder(db: Database): (token: string) => Promise<KnownToken | null> {
  return findByHash(db, findAccessTokens, ({ id, accountId, scopes }: KnownToken) => ({ id, accountId, scopes }));
}

/** Finds the id behind a platform token, or null when it is unknown or revoked. */
export function createPlatformTokenFinder(db: Database): (token: string) => Promise<{ id: string } | null> {
  return findByHash(db, findPlatformTokens, ({ id }: { id: string }) => ({ id }));
}

/** Concurrent requests share statements, so that hundreds of them use two connections, and none waits for a connection. */
function findByHash<Found extends object>(
  db: Database,
  find: ReturnType<typeof statement>,
  toFound: (row: Found) => Found,
): (token: string) => Promise<Found | null> {
  const findAll = async (tokens: string[]) => {
    const hashes = tokens.map(hashOf);
    const { rows } = await db.pool.query<Found & { hash: string }>(find({ hashes: [...new Set(hashes)] }));
    const known = new Map(rows.map((row) => [row.hash, row]));
    return hashes.map((hash) => {
      const found = known.get(hash);
      return found && isSame(found.hash, hash) ? toFound(found) : null;
    });
  };
  return batched(findAll, { maxSize: maxTokens });
}

/** The account's access tokens, revoked ones included, newest first. */
export async function listAccessTokens(db: Database, accountId: string): Promise<AccessToken[]> {
  if (!isUuid(accountId)) return [];
  return db.prisma.accessToken.findMany({ where: { accountId }, orderBy: newestFirst, omit });
}

/** Revokes an access token from the next request on. Null when there is none; one revoked earlier stays as it is. */
export async function revokeAccessToken(db: Database, id: string): Promise<AccessToken | null> {
  if (!isUuid(id)) return null;
  await db.prisma.$transaction(async (tx) => {
    const live = { where: { id, revokedAt: null }, data: { revokedAt: new Date() } };
    const [revoked] = await tx.accessToken.updateManyAndReturn({ ...live, omit });
    if (!revoked) return;
    await logChange(tx, db, { accountId: revoked.accountId, action: 'token.revoked', objectId: revoked.id });
  });
  return db.prisma.accessToken.findUnique({ where: { id }, omit });
}

/** Creates a token with which a platform may push events to `POST /events`. */
export async function createPlatformToken(db: Database, { name }: { name: string }): Promise<NewToken> {
  const token = newToken('platform');
  const id = randomUUID();
  const changed = [{ field: 'name', before: null, after: name }];
  const change = changeRow(db, { accountId: null, action: 'platform_token.created', objectId: id, changed });
  const creation = db.prisma.platformToken.create({ data: { id, name, hash: hashOf(token) } });
  await db.prisma.$transaction([creation, db.prisma.change.create({ data: change })]);
  return { id, token };
}

/** All platform tokens, revoked ones included, newest first. */
export async function listPlatformTokens(db: Database): Promise<PlatformToken[]> {
  return db.prisma.platformToken.findMany({ orderBy: newestFirst, omit });
}

/** Revokes a platform token from the next request on. Null when there is none; one revoked earlier stays as it is. */
export async function revokePlatformToken(db: Database, id: string): Promise<PlatformToken | null> {
  if (!isUuid(id)) return null;
  await db.prisma.$transaction(async (tx) => {
    const live = { where: { id, revokedAt: null }, data: { revokedAt: new Date() } };
    const [revoked] = await tx.platformToken.updateManyAndReturn({ ...live, omit });
    if (!revoked) return;
    await logChange(tx, db, { accountId: null, action: 'platform_token.revoked', objectId: revoked.id });
  });
  return db.prisma.platformToken.findUnique({ where: { id }, omit });
}
