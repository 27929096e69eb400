import type { List } from '../list.js';
import type { RequestOptions } from '../transport.js';
import type {
  AccessToken,
  Account,
  AccountChanges,
  CreatedAccessToken,
  CreatedAccount,
  CreatedPortalSession,
  ListParams,
  NewAccessToken,
  NewAccount,
  NewPortalSession,
  Outcome,
  Returned,
  SavedAccount,
} from '../types.js';
import { pathOf, Resource } from './resource.js';

/** `client.accounts`. It needs a platform token with the scope `accounts`. */
export class Accounts extends Resource {
  /** Creates an account. Only this response has its callback token. */
  create(account: NewAccount, options?: RequestOptions): Promise<Returned<CreatedAccount>> {
    return this.request({ method: 'POST', path: '/platform/accounts', body: account, options });
  }

  /** Creates the account with this UUID, or changes it. Only the response that creates it has its callback token. */
  put(id: string, account: NewAccount, options?: RequestOptions): Promise<Returned<SavedAccount>> {
    return this.request({ method: 'PUT', path: pathOf`/platform/accounts/${id}`, body: account, options });
  }

  list(params?: ListParams<'listAccounts'>, options?: RequestOptions): List<Account> {
    return this.listOf('/platform/accounts', params, options);
  }

  retrieve(id: string, options?: RequestOptions): Promise<Returned<Account>> {
    return this.request({ method: 'GET', path: pathOf`/platform/accounts/${id}`, options });
  }

  /** Changes the given fields. */
  update(id: string, changes: AccountChanges, options?: RequestOptions): Promise<Returned<Account>> {
    return this.request({ method: 'PATCH', path: pathOf`/platform/accounts/${id}`, body: changes, options });
  }

  /**
   * Deletes an account. While deliveries wait, that is an error with status 409, unless `force` ends them as skipped.
   */
  async delete(
    id: string,
    { force, ...options }: RequestOptions & { force?: boolean | undefined } = {},
  ): Promise<void> {
    const query = { force };
    await this.request({ method: 'DELETE', path: pathOf`/platform/accounts/${id}`, query, options });
  }

  /** Makes a new callback token. Only this response shows it. */
  rotateCallbackToken(id: string, options?: RequestOptions): Promise<Returned<{ callback_token: string }>> {
    return this.request({ method: 'POST', path: pathOf`/platform/accounts/${id}/callback-token`, options });
  }

  listTokens(id: string, options?: RequestOptions): List<AccessToken> {
    return this.listOf(pathOf`/platform/accounts/${id}/tokens`, undefined, options);
  }

  createToken(id: string, token: NewAccessToken = {}, options?: RequestOptions): Promise<Returned<CreatedAccessToken>> {
    return this.request({ method: 'POST', path: pathOf`/platform/accounts/${id}/tokens`, body: token, options });
  }

  async revokeToken(id: string, tokenId: string, options?: RequestOptions): Promise<void> {
    await this.request({ method: 'DELETE', path: pathOf`/platform/accounts/${id}/tokens/${tokenId}`, options });
  }
}

/** Rows of outcomes. `cursor`: where to read on; undefined before the first row. */
export type OutcomePage = { data: Outcome[]; cursor: string | undefined };

type OutcomeParams = Omit<ListParams<'listOutcomes'>, 'cursor' | 'filter'> & { cursor?: string | undefined };

const followWaitS = 20;
const followTimeoutMs = 30_000;

/** `client.outcomes`: what became of attempts and deliveries. It needs a platform token with the scope `outcomes`. */
export class Outcomes extends Resource {
  /** Reads the rows after `cursor`, or without one the oldest that are kept; none if there are none yet. */
  async list(params: OutcomeParams = {}, options?: RequestOptions): Promise<OutcomePage> {
    const { envelope } = await this.transport.send({
      method: 'GET',
      path: '/platform/outcomes',
      query: params,
      options,
    });
    const { next_cursor: next } = envelope.meta as { next_cursor: string | null };
    return { data: envelope.data as Outcome[], cursor: next ?? params.cursor };
  }

  /**
   * Reads on until you leave the loop, and waits for rows when there are none. Store `cursor` in one transaction with
   * what you make of `data`, and start with it next time: then you miss nothing and get nothing twice.
   *
   * It goes on when the server is away, restarts or asks for fewer requests (408, 429, 502, 503, 504 and broken
   * connections). Before it tries again, it waits up to 8 s, or as long as the server says. With `maxRetries` of its
   * own options it throws after so many failures in a row. It throws all other errors, and those of a server that asks
   * to wait for over a minute.
   *
   *     for await (const { data, cursor } of client.outcomes.follow({ cursor: await lastCursor() })) {
   *       await store(data, cursor);
   *     }
   */
  async *follow(
    params: Omit<OutcomeParams, 'wait'> = {},
    options: RequestOptions = {},
  ): AsyncGenerator<OutcomePage, never, undefined> {
    let { cursor } = params;
    while (true) {
      const query = { ...params, cursor, wait: followWaitS };
      const page = await this.list(query, { timeout: followTimeoutMs, maxRetries: Infinity, ...options });
      cursor = page.cursor;
      if (page.data.length > 0) yield page;
    }
  }
}

/** `client.portalSessions`. It needs a platform token with the scope `portal`, or an access token. */
export class PortalSessions extends Resource {
  /** Creates a session. The portal at its `url` opens once. */
  create(session: NewPortalSession = {}, options?: RequestOptions): Promise<Returned<CreatedPortalSession>> {
    return this.request({ method: 'POST', path: '/portal-sessions', body: session, options });
  }

  /** Ends a session at once. */
  async end(id: string, options?: RequestOptions): Promise<void> {
    await this.request({ method: 'DELETE', path: pathOf`/portal-sessions/${id}`, options });
  }
}
