import type { Request, RequestHandler, Response } from 'express';
import {
  type Actor,
  actingAs,
  createPlatformTokenFinder,
  createPortalBearerFinder,
  createAccessTokenFinder,
  type Database,
  isPortalBearer,
  type Scope,
  scopes as allScopes,
} from '@ringback/ledger';
import { ApiError } from '../output/api-error.js';
import { queryText } from '../input/query.js';

/** The caller of a management request: the account, and the access token or portal session of the request. */
export type Caller = {
  accountId: string;
  /** The id of the access token or portal session. */
  credentialId: string;
  scopes: Scope[];
  actor: Actor;
  /** The webhooks that a portal session is restricted to; absent when the caller may see all of the account. */
  webhookIds?: readonly string[];
};

/**
 * The caller that creates or ends a portal session: an account or a platform. A platform may do so for any account, and
 * its `accountId` is null.
 */
export type SessionCreator = { accountId: string | null; credentialId: string; scopes: readonly Scope[]; actor: Actor };

const callers = new WeakMap<Request, Caller>();
const sessionCreators = new WeakMap<Request, SessionCreator>();

/**
 * The caller that `authenticate` or `authenticateSessionCreator` found. Throws a 401 for any other request, also for a
 * platform's.
 */
export function callerOf(request: Request): Caller {
  const caller = callers.get(request);
  if (!caller) throw new ApiError(401, 'Unauthenticated.');
  return caller;
}

/** The session creator that `authenticateSessionCreator` found. Throws a 401 for any other request. */
export function sessionCreatorOf(request: Request): SessionCreator {
  const creator = sessionCreators.get(request);
  if (!creator) throw new ApiError(401, 'Unauthenticated.');
  return creator;
}

/** The database, with the caller as the actor in the change history. */
export const databaseAsCaller = (request: Request, db: Database): Database => actingAs(db, callerOf(request).actor);

/** The id of the caller's account; undefined before authentication, and for a platform. */
export const accountIdOf = (request: Request): string | undefined => callers.get(request)?.accountId;

/**
 * Requires an account's access token or the bearer token of a portal session, as `Authorization: Bearer`. If the header
 * has no bearer token, the query parameter `access_token` is read.
 */
export function authenticate(db: Database): RequestHandler {
  const findAccessTokenCaller = createAccessTokenCallerFinder(db);
  const findPortalCaller = createPortalCallerFinder(db);
  return async (request, response, next) => {
    const token = bearerTokenOf(request) ?? queryText(request, 'access_token') ?? '';
    const caller = await (isPortalBearer(token) ? findPortalCaller(token) : findAccessTokenCaller(token));
    if (!caller) throw unauthenticated(response);
    callers.set(request, caller);
    next();
  };
}

/** Requires a platform token as `Authorization: Bearer`. */
export function authenticatePlatform(db: Database): RequestHandler {
  const findPlatformToken = createPlatformTokenFinder(db);
  return async (request, response, next) => {
    const token = bearerTokenOf(request);
    if (!token || !(await findPlatformToken(token))) throw unauthenticated(response);
    next();
  };
}

/** Requires an account's access token or a platform token, sent as for `authenticate`. */
export function authenticateSessionCreator(db: Database): RequestHandler {
  const findAccessTokenCaller = createAccessTokenCallerFinder(db);
  const findPlatformToken = createPlatformTokenFinder(db);
  return async (request, response, next) => {
    const token = bearerTokenOf(request) ?? queryText(request, 'access_token') ?? '';
    const caller = await findAccessTokenCaller(token);
    if (caller) callers.set(request, caller);
    const platformToken = caller || token === '' ? null : await findPlatformToken(token);
    const creator = caller ?? (platformToken && platformCreator(platformToken.id));
    if (!creator) throw unauthenticated(response);
    sessionCreators.set(request, creator);
    next();
  };
}

const platformCreator = (credentialId: string): SessionCreator => ({
  accountId: null,
  credentialId,
  scopes: allScopes,
  actor: `platform_token:${credentialId}`,
});

type FindCaller = (token: string) => Promise<Caller | null>;

function createAccessTokenCallerFinder(db: Database): FindCaller {
  const findAccessToken = createAccessTokenFinder(db);
  return async (token) => {
    const accessToken = token === '' ? null : await findAccessToken(token);
    if (!accessToken) return null;
    const { accountId, id: credentialId, scopes } = accessToken;
    return { accountId, credentialId, scopes, actor: `token:${credentialId}` };
  };
}

function createPortalCallerFinder(db: Database): FindCaller {
  const findSession = createPortalBearerFinder(db);
  return async (token) => {
    const session = await findSession(token);
    if (!session) return null;
    const { accountId, id: credentialId, scopes, webhookIds, portalUserName } = session;
    const actor: Actor = `portal:${credentialId}${portalUserName === null ? '' : ` ${portalUserName}`}`;
    return { accountId, credentialId, scopes, actor, ...(webhookIds === null ? {} : { webhookIds }) };
  };
}

function bearerTokenOf(request: Request): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
}

function unauthenticated(response: Response): ApiError {
  response.set('WWW-Authenticate', 'Bearer');
  return new ApiError(401, 'Unauthenticated.');
}
