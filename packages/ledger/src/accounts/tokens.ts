import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { newChangeRow, recordChange } from '../changes.js';
import { Batcher } from '../connection/batch.js';
import type { Database } from '../connection/database.js';
import { lockAccount } from '../connection/lock.js';
import type {
  AccessToken as AccessTokenRow,
  PlatformScope,
  PlatformToken as PlatformTokenRow,
  Scope,
} from '../generated/client.js';
import { isUuid } from '../sql/ids.js';
import { arrayOf, boolean, text, uuid } from '../sql/columns.js';
import { defineRecords, preparedStatement, type Statement } from '../sql/statement.js';

/** A new token. Its text is not stored, so it cannot be shown again. */
type NewToken = { id: string; token: string };

/** What an access token may allow: to read, to change, and to resend deliveries. */
export const scopes = ['read', 'write', 'replay'] as const satisfies readonly Scope[];

/**
 * What a platform token may allow: to push events, to open portal sessions, to manage accounts, to act for an account,
 * to read outcomes, and to import.
 */
export const platformScopes = [
  'events',
  'portal',
  'accounts',
  'act',
  'outcomes',
  'import',
] as const satisfies readonly PlatformScope[];

/** The scopes of a platform token for which none are requested. */
const defaultPlatformScopes: readonly PlatformScope[] = ['events', 'portal'];

/** A token for the API of one account. */
export type AccessToken = Omit<AccessTokenRow, 'hash'>;

/** A token of a messaging platform, for all accounts. */
export type PlatformToken = Omit<PlatformTokenRow, 'hash'>;

/** A new token: 192 random bits, after a prefix by which secret scanners recognise it. */
export const generateToken = (kind: 'access' | 'callback' | 'platform' | 'portal') =>
  `rb_${kind}_${randomBytes(24).toString('base64url')}`;

/** The stored form of a token: its SHA-256 in lower-case hex. */
export const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

/**
 * The hashes that a presented token may have. Of `<n>|<text>`, as Laravel Sanctum writes its tokens, imported ones have
 * the hash of the text.
 */
function hashesOf(token: string): string[] {
  const [, text] = /^\d+\|(.+)$/.exec(token) ?? [];
  return [hashOf(token), ...(text === undefined ? [] : [hashOf(text)])];
}

const omit = { hash: true } as const;
const newestFirst = [{ createdAt: 'desc' as const }, { id: 'desc' as const }];

/** A new access token: its text, its row, and the row for the change history. */
export function prepareAccessToken(
  db: Database,
  accountId: string,
  requested: readonly Scope[] = scopes,
  name: string | null = null,
) {
  const token = generateToken('access');
  const granted = scopes.filter((scope) => requested.includes(scope));
  const row = { id: randomUUID(), hash: hashOf(token), name, scopes: granted };
  const changed = [{ field: 'scopes', before: null, after: granted.join(',') }];
  const change = newChangeRow(db, { accountId, action: 'token.created', objectId: row.id, changed });
  return { token, row, change };
}

/** The account has the maximum number of access tokens that are not revoked. Nothing was stored. */
export class TooManyTokensError extends Error {
  override readonly name = 'TooManyTokensError';
}

/**
 * Creates another access token for the account, by default with all scopes. Null when there is no such account. Throws
 * a TooManyTokensError above `maxTokens` unrevoked ones; concurrent requests do not exceed it.
 */
export async function createAccessToken(
  db: Database,
  accountId: string,
  requested?: readonly Scope[],
  { maxTokens = Infinity, name = null }: { maxTokens?: number; name?: string | null } = {},
): Promise<(NewToken & { name: string | null; scopes: Scope[]; createdAt: Date }) | null> {
  if (!isUuid(accountId)) return null;
  const { token, row, change } = prepareAccessToken(db, accountId, requested, name);
  return (await db.prisma()).$transaction(async (tx) => {
    if (!(await lockAccount(tx, accountId))) return null;
    if ((await tx.accessToken.count({ where: { accountId, revokedAt: null } })) >= maxTokens)
      throw new TooManyTokensError('too many access tokens');
    const { createdAt } = await tx.accessToken.create({ data: { ...row, accountId } });
    await tx.change.create({ data: change });
    return { id: row.id, token, name, scopes: row.scopes, createdAt };
  });
}

type KnownToken = Pick<AccessToken, 'id' | 'accountId' | 'scopes'> & { isSuspended: boolean };
type KnownPlatformToken = Pick<PlatformToken, 'id' | 'scopes'>;

const hashRecords = defineRecords<string>({ hash: ['text', (hash) => hash] });

/**
 * A FROM clause: the rows `alias` of a table whose `column` is one of the `$hashes`. Its estimate does not depend on
 * how many there are, so each connection soon keeps the plan. With `= ANY($hashes)`, PostgreSQL plans each execution
 * anew, which takes longer than to run it.
 */
export const fromHashesSql = (table: string, column: string, alias: string) =>
  `${hashRecords.from('$hashes', 'h')} CROSS JOIN LATERAL (SELECT * FROM ${table} WHERE ${column} = h.hash OFFSET 0) AS ${alias}`;

/** SQL: whether the account of a row is suspended. The subquery reads it by its id, whatever the planner expects. */
export const suspendedSql = (alias: string) =>
  `(SELECT a.suspended_at FROM accounts a WHERE a.id = ${alias}.account_id) IS NOT NULL`;

const findAccessTokensStatement = preparedStatement<{ hashes: string }>(
  'find_access_tokens',
  `SELECT t.hash, t.id, t.account_id AS "accountId", t.scopes::text[] AS scopes, ${suspendedSql('t')} AS "isSuspended"
    FROM ${fromHashesSql('access_tokens', 'hash', 't')} WHERE t.revoked_at IS NULL`,
).returns({ hash: text, id: uuid, accountId: uuid, scopes: arrayOf(text).as<Scope[]>(), isSuspended: boolean });
const findPlatformTokensStatement = preparedStatement<{ hashes: string }>(
  'find_platform_tokens',
  `SELECT t.hash, t.id, t.scopes::text[] AS scopes FROM ${fromHashesSql('platform_tokens', 'hash', 't')}
    WHERE t.revoked_at IS NULL`,
).returns({ hash: text, id: uuid, scopes: arrayOf(text).as<PlatformScope[]>() });
const maxBatchSize = 1_000;

/**
 * Creates a function that finds the account, id and scopes of an access token, and whether the account is suspended;
 * null if the token is unknown or revoked.
 */
export function createAccessTokenFinder(db: Database): (token: string) => Promise<KnownToken | null> {
  return createHashFinder(db, findAccessTokensStatement, ({ id, accountId, scopes, isSuspended }) => ({
    id,
    accountId,
    scopes,
    isSuspended,
  }));
}

/** Creates a function that finds the id and scopes of a platform token; null if it is unknown or revoked. */
export function createPlatformTokenFinder(db: Database): (token: string) => Promise<KnownPlatformToken | null> {
  return createHashFinder(db, findPlatformTokensStatement, ({ id, scopes }) => ({ id, scopes }));
}

/**
 * Creates a function that finds a row by the hash of a token; null if there is none. Concurrent calls share statements:
 * hundreds of calls use at most two connections.
 */
export function createHashFinder<Row extends { hash: string }, Found>(
  db: Database,
  find: Statement<{ hashes: string }, Row>,
  toFound: (row: Row) => Found,
): (token: string) => Promise<Found | null> {
  const findAll = async (tokens: string[]) => {
    const hashesOfTokens = tokens.map(hashesOf);
    const rows = await find.rows(db.pool, { hashes: hashRecords.encode([...new Set(hashesOfTokens.flat())]) });
    const rowsByHash = new Map(rows.map((row) => [row.hash, row]));
    return hashesOfTokens.map((hashes) => {
      const [row] = hashes.flatMap((hash) => rowsByHash.get(hash) ?? []);
      return row ? toFound(row) : null;
    });
  };
  const batcher = new Batcher(findAll, { maxSize: maxBatchSize });
  return (token) => batcher.run(token);
}

/** The account's access tokens, revoked ones included, newest first. */
export async function listAccessTokens(db: Database, accountId: string): Promise<AccessToken[]> {
  if (!isUuid(accountId)) return [];
  return (await db.prisma()).accessToken.findMany({ where: { accountId }, orderBy: newestFirst, omit });
}

/** The account's access tokens that are not revoked, then its most recently revoked ones; at most `limit` in all. */
export async function listAccessTokensUnrevokedFirst(
  db: Database,
  accountId: string,
  limit: number,
): Promise<AccessToken[]> {
  const orderBy = [{ revokedAt: { sort: 'desc' as const, nulls: 'first' as const } }, ...newestFirst];
  return (await db.prisma()).accessToken.findMany({ where: { accountId }, orderBy, take: limit, omit });
}

/**
 * Revokes an access token of the account, or of any account if `accountId` is null, from the next request on, and
 * returns it. Null when there is no such token. A token that was revoked before does not change.
 */
export async function revokeAccessToken(
  db: Database,
  accountId: string | null,
  id: string,
): Promise<AccessToken | null> {
  if (!isUuid(id)) return null;
  const where = accountId === null ? { id } : { id, accountId };
  const prisma = await db.prisma();
  await prisma.$transaction(async (tx) => {
    const revocation = { where: { ...where, revokedAt: null }, data: { revokedAt: new Date() } };
    const [revoked] = await tx.accessToken.updateManyAndReturn({ ...revocation, omit });
    if (!revoked) return;
    await recordChange(tx, db, { accountId: revoked.accountId, action: 'token.revoked', objectId: revoked.id });
  });
  return prisma.accessToken.findFirst({ where, omit });
}

/** Creates a platform token, by default one that may push events and open portal sessions. */
export async function createPlatformToken(
  db: Database,
  { name, scopes: requested = defaultPlatformScopes }: { name: string; scopes?: readonly PlatformScope[] | undefined },
): Promise<NewToken & { scopes: PlatformScope[] }> {
  const token = generateToken('platform');
  const id = randomUUID();
  const granted = platformScopes.filter((scope) => requested.includes(scope));
  const changed = [
    { field: 'name', before: null, after: name },
    { field: 'scopes', before: null, after: granted.join(',') },
  ];
  const change = newChangeRow(db, { accountId: null, action: 'platform_token.created', objectId: id, changed });
  const prisma = await db.prisma();
  const creation = prisma.platformToken.create({ data: { id, name, hash: hashOf(token), scopes: granted } });
  await prisma.$transaction([creation, prisma.change.create({ data: change })]);
  return { id, token, scopes: granted };
}

/** All platform tokens, revoked ones included, newest first. */
export async function listPlatformTokens(db: Database): Promise<PlatformToken[]> {
  return (await db.prisma()).platformToken.findMany({ orderBy: newestFirst, omit });
}

/**
 * Revokes a platform token from the next request on, and returns it. Null when there is no such token. A token that was
 * revoked before does not change.
 */
export async function revokePlatformToken(db: Database, id: string): Promise<PlatformToken | null> {
  if (!isUuid(id)) return null;
  const prisma = await db.prisma();
  await prisma.$transaction(async (tx) => {
    const revocation = { where: { id, revokedAt: null }, data: { revokedAt: new Date() } };
    const [revoked] = await tx.platformToken.updateManyAndReturn({ ...revocation, omit });
    if (!revoked) return;
    await recordChange(tx, db, { accountId: null, action: 'platform_token.revoked', objectId: revoked.id });
  });
  return prisma.platformToken.findUnique({ where: { id }, omit });
}
