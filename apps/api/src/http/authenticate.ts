import type { Request, RequestHandler, Response } from 'express';
import { actingAs, type Database, createPlatformTokenFinder, createTokenFinder, type Scope } from '@ringback/database';
import { ApiError } from './api-error.js';
import { queryText } from './query.js';

/** The caller of a request: its account, its access token, and the scopes of that token. */
export type Caller = { accountId: string; tokenId: string; scopes: Scope[] };

const callers = new WeakMap<Request, Caller>();

/** The caller of a request that passed `authenticate`; a 401 for any other request. */
export function callerOf(request: Request): Caller {
  const caller = callers.get(request);
  if (!caller) throw new ApiError(401, 'Unauthenticated.');
  return caller;
}

/** The database with the caller's token as the actor of the changes that are made with it. */
export const actingAsCaller = (request: Request, db: Database): Database =>
  actingAs(db, `token:${callerOf(request).tokenId}`);

/** The account of a request, for the log; undefined before authentication. */
export const accountOf = (request: Request): string | undefined => callers.get(request)?.accountId;

/** Requires an access token of an account: `Authorization: Bearer`, or else the query parameter `access_token`. */
export function authenticate(db: Database): RequestHandler {
  const find = createTokenFinder(db);
  return async (request, response, next) => {
    const token = bearerOf(request) ?? queryText(request, 'access_token');
    const known = token ? await find(token) : null;
    if (!known) throw unauthenticated(response);
    callers.set(request, { accountId: known.accountId, tokenId: known.id, scopes: known.scopes });
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

function bearerOf(request: Request): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
}

function unauthenticated(response: Response): ApiError {
  response.set('WWW-Authenticate', 'Bearer');
  return new ApiError(401, 'Unauthenticated.');
}
