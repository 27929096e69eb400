import type { Request, RequestHandler, Response } from 'express';
import { actingAs, type Database, createPlatformTokenFinder, createTokenFinder, type Scope } from '@ringback/database';
import { ApiError } from './api-error.js';
import { queryText } from './query.js';

/** Who calls: the account, and the token it came with and what that may be used for. */
export type Caller = { accountId: string; tokenId: string; scopes: Scope[] };

const callers = new WeakMap<Request, Caller>();

/** The caller of a request behind `authenticate`. */
export function callerOf(request: Request): Caller {
  const caller = callers.get(request);
  if (!caller) throw new ApiError(401, 'Unauthenticated.');
  return caller;
}

/** The database in the name of the caller: what is changed with it is noted as done by that token. */
export const inNameOf = (request: Request, db: Database): Database =>
  actingAs(db, `token:${callerOf(request).tokenId}`);

/** The account of a request, once it is known; for the log. */
export const accountOf = (request: Request): string | undefined => callers.get(request)?.accountId;

/** Lets in whoever has an access token of an account: `Authorization: Bearer`, else the parameter `access_token`. */
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

/** Lets in whoever has a platform token, and nobody else. */
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
