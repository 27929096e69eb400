import type { Request, RequestHandler, Response } from 'express';
import {
  type Actor,
  actingAs,
  createPlatformTokenFinder,
  createPortalBearerFinder,
  createTokenFinder,
  type Database,
  isPortalBearer,
  type Scope,
  scopes as allScopes,
} from '@ringback/database';
import { ApiError } from './api-error.js';
import { queryText } from './query.js';

/** The caller of a request: its account, its token, and the scopes of that token. */
export type Caller = {
  accountId: string;
  /** The id of the access token, or of the portal session. */
  tokenId: string;
  scopes: Scope[];
  actor: Actor;
  /** The webhooks that a portal session is limited to; absent when it may see all of the account. */
  webhookIds?: readonly string[];
};

/**
 * Who opens or ends a portal session: an account, or a platform, which has no `accountId` and may do it for any
 * account.
 */
export type Opener = { accountId: string | null; tokenId: string; scopes: readonly Scope[]; actor: Actor };

const callers = new WeakMap<Request, Caller>();
const openers = new WeakMap<Request, Opener>();

/** The caller of a request that passed `authenticate`. Throws a 401 for any other request. */
export function callerOf(request: Request): Caller {
  const caller = callers.get(request);
  if (!caller) throw new ApiError(401, 'Unauthenticated.');
  return caller;
}

/** The opener of a request that passed `authenticateOpener`. Throws a 401 for any other request. */
export function openerOf(request: Request): Opener {
  const opener = openers.get(request);
  if (!opener) throw new ApiError(401, 'Unauthenticated.');
  return opener;
}

/** The database, with the caller as the actor in the log of changes. */
export const actingAsCaller = (request: Request, db: Database): Database => actingAs(db, callerOf(request).actor);

/** The account of a request; undefined before authentication. */
export const accountOf = (request: Request): string | undefined => callers.get(request)?.accountId;

/**
 * Requires an account's access token or the bearer of a portal session, as `Authorization: Bearer` or, without that
 * header, as the query parameter `access_token`.
 */
export function authenticate(db: Database): RequestHandler {
  const findByToken = createAccountFinder(db);
  const findByBearer = createPortalFinder(db);
  return async (request, response, next) => {
    const token = bearerOf(request) ?? queryText(request, 'access_token') ?? '';
    const caller = await (isPortalBearer(token) ? findByBearer(token) : findByToken(token));
    if (!caller) throw unauthenticated(response);
    callers.set(request, caller);
    next();
  };
}

/** Requires a platform token as `Authorization: Bearer`. */
export function authenticatePlatform(db: Database): RequestHandler {
  const find = createPlatformTokenFinder(db);
  return async (request, response, next) => {
    const token = bearerOf(request);
    if (!token || !(await find(token))) throw unauthenticated(response);
    next();
  };
}

/** Requires an account's access token or a platform token, sent as for `authenticate`. */
export function authenticateOpener(db: Database): RequestHandler {
  const findAccount = createAccountFinder(db);
  const findPlatform = createPlatformTokenFinder(db);
  return async (request, response, next) => {
    const token = bearerOf(request) ?? queryText(request, 'access_token') ?? '';
    const caller = await findAccount(token);
    if (caller) callers.set(request, caller);
    const platform = caller || token === '' ? null : await findPlatform(token);
    const opener = caller ?? (platform && platformOpener(platform.id));
    if (!opener) throw unauthenticated(response);
    openers.set(request, opener);
    next();
  };
}

const platformOpener = (tokenId: string): Opener => ({
  accountId: null,
  tokenId,
  scopes: allScopes,
  actor: `platform_token:${tokenId}`,
});

type Find = (token: string) => Promise<Caller | null>;

function createAccountFinder(db: Database): Find {
  const find = createTokenFinder(db);
  return async (token) => {
    const known = token === '' ? null : await find(token);
    if (!known) return null;
    const { accountId, id: tokenId, scopes } = known;
    return { accountId, tokenId, scopes, actor: `token:${tokenId}` };
  };
}

function createPortalFinder(db: Database): Find {
  const find = createPortalBearerFinder(db);
  return async (bearer) => {
    const session = await find(bearer);
    if (!session) return null;
    const { accountId, id: tokenId, scopes, webhookIds, person } = session;
    const actor: Actor = `portal:${tokenId}${person === null ? '' : ` ${person}`}`;
    return { accountId, tokenId, scopes, actor, ...(webhookIds === null ? {} : { webhookIds }) };
  };
}

function bearerOf(request: Request): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
}

function unauthenticated(response: Response): ApiError {
  response.set('WWW-Authenticate', 'Bearer');
  return new ApiError(401, 'Unauthenticated.');
}
