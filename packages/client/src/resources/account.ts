import type { List } from '../list.js';
import type { RequestOptions } from '../transport.js';
import type {
  AccessToken,
  AccountStatistics,
  Change,
  CreatedAccessToken,
  ListParams,
  NewAccessToken,
  Returned,
} from '../types.js';
import { pathOf, Resource } from './resource.js';

/** `client.tokens`: the access tokens of the account */
export class Tokens extends Resource {
  list(options?: RequestOptions): List<AccessToken> {
    return this.listOf('/developer/tokens', undefined, options);
  }

  /** Creates a token. Only this response shows it. */
  create(token: NewAccessToken = {}, options?: RequestOptions): Promise<Returned<CreatedAccessToken>> {
    return this.request({ method: 'POST', path: '/developer/tokens', body: token, options });
  }

  async revoke(id: string, options?: RequestOptions): Promise<void> {
    await this.request({ method: 'DELETE', path: pathOf`/developer/tokens/${id}`, options });
  }
}

/** `client.changes`: the change history */
export class Changes extends Resource {
  list(params?: ListParams<'listChanges'>, options?: RequestOptions): List<Change> {
    return this.listOf('/developer/changes', params, options);
  }
}

/** `client.statistics`. `client.webhooks.statistics` has those of one webhook. */
export class Statistics extends Resource {
  retrieve(params?: ListParams<'getStatistics'>, options?: RequestOptions): Promise<Returned<AccountStatistics>> {
    return this.request({ method: 'GET', path: '/developer/statistics', query: params, options });
  }
}
