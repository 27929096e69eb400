import type { Request, RequestHandler, Response } from 'express';
import {
  type Actor,
  actingAs,
  createPlatformTokenFinder,
  createPortalBearerFinder,
  createAccessTokenFinder,
  type Database,
  findAccount,
  isPortalBearer,
  type PlatformScope,
  type Scope,
  scopes as allScopes,
  suspendedReason,
} from '@ringback/ledger';
import { queryText } from './input.js';
import { ApiError } from './response.js';

/** The caller of a management request: the account, and the token or portal session of the request. */
export type Caller = {
  accountId: string;
  /** The id of the access token, portal session or platform token. */
  credentialId: string;
  scopes: Scope[];
  actor: Actor;
  /** The webhooks that a portal session is restricted to; absent when the caller may see all of the account. */
  webhookIds?: readonly string[];
  /** The caller is a platform, which acts for the account. */
  isPlatform?: true;
};

/**
 * The caller that creates or ends a portal session: an account or a platform. A platform may do so for any account, and
 * its `accountId` is null.
 */
export type SessionCreator = { accountId: string | null; credentialId: string; scopes: readonly Scope[]; actor: Actor };

/** The platform of a request with a platform token. */
type Platform = { credentialId: string; scopes: readonly PlatformScope[]; actor: Actor };

const platforms = new WeakMap<Request, Platform>();
const callers = new WeakMap<Request, Caller>();
const sessionCreators = new WeakMap<Request, SessionCreator>();

/**
 * The caller that `account` or `sessionCreator` of `Authentication` found. Throws a 401 for any other request, also for
 * a platform's.
 */
export function callerOf(request: Request): Caller {
  const caller = callers.get(request);
  if (!caller) throw new ApiError(401, 'Unauthenticated.');
  return caller;
}

/** The session creator that `Authentication` found. Throws a 401 for any other request. */
export function sessionCreatorOf(request: Request): SessionCreator {
  const creator = sessionCreators.get(request);
  if (!creator) throw new ApiError(401, 'Unauthenticated.');
  return creator;
}

/** The database, with the caller as the actor in the change history. */
export const databaseAsCaller = (request: Request, db: Database): Database => actingAs(db, callerOf(request).actor);

/** The database, with the request's platform as the actor in the change history. */
export const databaseAsPlatform = (request: Request, db: Database): Database => actingAs(db, platformOf(request).actor);

/** The platform that `platform` of `Authentication` found. Throws a 401 for any other request. */
function platformOf(request: Request): Platform {
  const platform = platforms.get(request);
  if (!platform) throw new ApiError(401, 'Unauthenticated.');
  return platform;
}

/** The id of the caller's account; undefined before authentication, and for a platform. */
export const accountIdOf = (request: Request): string | undefined => callers.get(request)?.accountId;

/** Requires the scope. A token without it gets a 403 before the request's ids and fields are read. */
export function requireScope(request: Request, response: Response, scope: Scope): void {
  if (!callerOf(request).scopes.includes(scope)) throw lacksScope(response, scope);
}

/** Requires the scope of the platform token, as `requireScope` does. */
export function requirePlatformScope(request: Request, response: Response, scope: PlatformScope): void {
  if (!platformOf(request).scopes.includes(scope)) throw lacksScope(response, scope);
}

/** Requires a platform token that may push events, before the events are read. */
export const requireEventsScope: RequestHandler = (request, response, next) => {
  requirePlatformScope(request, response, 'events');
  next();
};

function lacksScope(response: Response, scope: Scope | PlatformScope): ApiError {
  response.set('WWW-Authenticate', `Bearer error="insufficient_scope", scope="${scope}"`);
  return new ApiError(403, `This token lacks the scope "${scope}".`);
}

/** The 403 for the tokens and portal sessions of a suspended account. */
export const accountSuspended = () => new ApiError(403, suspendedReason);

/** The 404 for an account that a platform names. */
export const accountNotFound = () => new ApiError(404, 'Account not found.');

/** Whether the caller may see a webhook of its account. A portal session may be restricted to some webhooks. */
export const canSeeWebhook = (request: Request, webhookId: string): boolean =>
  callerOf(request).webhookIds?.includes(webhookId.toLowerCase()) ?? true;

/** The only 404 for webhooks. It does not reveal whether the webhook belongs to another account. */
export const webhookNotFound = () => new ApiError(404, 'Webhook not found.');

const accountHeader = 'X-Account-Id';

type Authenticate = (request: Request, response: Response) => Promise<void>;

/** Marks the responses of requests that no handler has begun to process (`sendErrors`). */
const beforeProcessing =
  (authenticate: Authenticate): RequestHandler =>
  async (request, response, next) => {
    response.locals.isAuthenticating = true;
    await authenticate(request, response);
    response.locals.isAuthenticating = false;
    next();
  };

export class Authentication {
  readonly #findAccessToken;
  readonly #findPortalSession;
  readonly #findPlatformToken;
  readonly #db: Database;

  constructor(db: Database) {
    this.#findAccessToken = createAccessTokenFinder(db);
    this.#findPortalSession = createPortalBearerFinder(db);
    this.#findPlatformToken = createPlatformTokenFinder(db);
    this.#db = db;
  }

  /**
   * Requires an account's access token or the bearer token of a portal session, as `Authorization: Bearer`. If the
   * header has no bearer token, the query parameter `access_token` is read.
   *
   * A platform token with the scope `act`, as `Authorization: Bearer`, acts for the account that `X-Account-Id` names.
   * Beside any other token this header is refused: whoever sends it may mean another account than that of the token.
   */
  readonly account = beforeProcessing(async (request, response) => {
    const token = accountTokenOf(request);
    const caller = await (isPortalBearer(token) ? this.#findPortalCaller(token) : this.#findAccessTokenCaller(token));
    const accountId = request.get(accountHeader);
    if (caller && accountId !== undefined)
      throw new ApiError(403, `${accountHeader} is only for platform tokens. This token acts for its own account.`);
    const acting = caller ?? (accountId === undefined ? null : await this.#findActing(request, response, accountId));
    if (!acting) throw unauthenticated(response);
    callers.set(request, acting);
  });

  /** Requires a platform token as `Authorization: Bearer`. Its scope is for `requirePlatformScope`. */
  readonly platform = beforeProcessing(async (request, response) => {
    const token = bearerTokenOf(request);
    const platform = token ? await this.#findPlatform(token) : null;
    if (!platform) throw unauthenticated(response);
    platforms.set(request, platform);
  });

  /** Requires an account's access token, or a platform token with the scope `portal`, sent as for `account`. */
  readonly sessionCreator = beforeProcessing(async (request, response) => {
    const token = accountTokenOf(request);
    const caller = await this.#findAccessTokenCaller(token);
    if (caller) callers.set(request, caller);
    const platform = caller || token === '' ? null : await this.#findPlatform(token);
    if (platform && !platform.scopes.includes('portal')) throw lacksScope(response, 'portal');
    const creator = caller ?? (platform && platformCreator(platform));
    if (!creator) throw unauthenticated(response);
    sessionCreators.set(request, creator);
  });

  async #findAccessTokenCaller(token: string): Promise<Caller | null> {
    const accessToken = token === '' ? null : await this.#findAccessToken(token);
    if (!accessToken) return null;
    const { accountId, id: credentialId, scopes, isSuspended } = accessToken;
    if (isSuspended) throw accountSuspended();
    return { accountId, credentialId, scopes, actor: `token:${credentialId}` };
  }

  /** The platform as the caller for an account. Throws a 403 without the scope, and a 404 for an unknown account. */
  async #findActing(request: Request, response: Response, id: string): Promise<Caller | null> {
    const token = bearerTokenOf(request);
    const platform = token ? await this.#findPlatform(token) : null;
    if (!platform) return null;
    if (!platform.scopes.includes('act')) throw lacksScope(response, 'act');
    const account = await findAccount(this.#db, id);
    if (!account) throw accountNotFound();
    const { credentialId, actor } = platform;
    return { accountId: account.id, credentialId, scopes: [...allScopes], actor, isPlatform: true };
  }

  async #findPlatform(token: string): Promise<Platform | null> {
    const found = await this.#findPlatformToken(token);
    return found && { credentialId: found.id, scopes: found.scopes, actor: `platform_token:${found.id}` };
  }

  async #findPortalCaller(bearer: string): Promise<Caller | null> {
    const session = await this.#findPortalSession(bearer);
    if (!session) return null;
    const { accountId, id: credentialId, scopes, webhookIds, portalUserName, isSuspended } = session;
    if (isSuspended) throw accountSuspended();
    const actor: Actor = `portal:${credentialId}${portalUserName === null ? '' : ` ${portalUserName}`}`;
    return { accountId, credentialId, scopes, actor, ...(webhookIds === null ? {} : { webhookIds }) };
  }
}

const platformCreator = ({ credentialId, actor }: Platform): SessionCreator => ({
  accountId: null,
  credentialId,
  scopes: allScopes,
  actor,
});

function bearerTokenOf(request: Request): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
}

const accountTokenOf = (request: Request) => bearerTokenOf(request) ?? queryText(request, 'access_token') ?? '';

function unauthenticated(response: Response): ApiError {
  response.set('WWW-Authenticate', 'Bearer');
  return new ApiError(401, 'Unauthenticated.');
}
