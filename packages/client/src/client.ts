import { Changes, Statistics, Tokens } from './resources/account.js';
import { Deliveries, Messages, Replays } from './resources/deliveries.js';
import { Events } from './resources/events.js';
import { Accounts, Outcomes, PortalSessions } from './resources/platform.js';
import { Resource } from './resources/resource.js';
import { Subscriptions, Webhooks } from './resources/webhooks.js';
import { type ClientSettings, type Method, type Query, type RequestOptions, Transport } from './transport.js';
import type { Returned } from './types.js';

/** A client of the API. Each property is a group of its paths. */
export class RingbackClient extends Resource {
  readonly webhooks = new Webhooks(this.transport);
  readonly subscriptions = new Subscriptions(this.transport);
  readonly deliveries = new Deliveries(this.transport);
  readonly messages = new Messages(this.transport);
  readonly replays = new Replays(this.transport);
  readonly changes = new Changes(this.transport);
  readonly tokens = new Tokens(this.transport);
  readonly statistics = new Statistics(this.transport);
  readonly events = new Events(this.transport);
  readonly accounts = new Accounts(this.transport);
  readonly outcomes = new Outcomes(this.transport);
  readonly portalSessions = new PortalSessions(this.transport);

  /**
   * Sends a request to a path that has no method here, and resolves with the `data` of the response. A POST is repeated
   * only if it certainly was not processed, or with an `idempotencyKey`.
   */
  call<T extends object>(
    method: Method,
    path: `/${string}`,
    { query, body, ...options }: RequestOptions & { query?: Query; body?: unknown } = {},
  ): Promise<Returned<T>> {
    return this.request<T>({ method, path, query, body, options });
  }
}

/**
 * Creates a client.
 *
 *     const client = createClient({ baseUrl: 'https://ringback.example/api/v2', token: process.env.ACCESS_TOKEN });
 *     const webhook = await client.webhooks.create({ name: 'orders', uri: 'https://example.com/in' });
 */
export const createClient = (settings: ClientSettings): RingbackClient => new RingbackClient(new Transport(settings));
