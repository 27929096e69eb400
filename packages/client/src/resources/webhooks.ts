import type { List } from '../list.js';
import type { RequestOptions } from '../transport.js';
import type {
  BodyOf,
  ListParams,
  NewPreview,
  NewSubscription,
  NewTestCall,
  NewWebhook,
  Preview,
  Replay,
  RetrievedWebhook,
  Returned,
  SavedSubscription,
  SigningSecret,
  Subscription,
  TestCall,
  Verification,
  Webhook,
  WebhookChanges,
  WebhookStatistics,
} from '../types.js';
import { pathOf, Resource } from './resource.js';

/** Options of a change. `ifMatch` is the ETag of the version to change: another one is an error with status 412. */
export type ChangeOptions = RequestOptions & { ifMatch?: string | undefined };

/** A repeated request would find the version that the first one made, so a change of one version is not repeated. */
const changeCall = ({ ifMatch, ...options }: ChangeOptions) =>
  ifMatch === undefined
    ? { options }
    : { isIdempotent: false, options: { ...options, headers: { ...options.headers, 'If-Match': ifMatch } } };

/** `client.webhooks` */
export class Webhooks extends Resource {
  /** Creates a webhook. A repeat after a lost response has the same `Idempotency-Key`, so it creates no second one. */
  create(webhook: NewWebhook, options: RequestOptions = {}): Promise<Returned<Webhook>> {
    const { idempotencyKey = crypto.randomUUID() } = options;
    const path = '/developer/webhooks';
    return this.request({ method: 'POST', path, body: webhook, options: { ...options, idempotencyKey } });
  }

  /** Lists the webhooks, newest first. */
  list(params?: ListParams<'listWebhooks'>, options?: RequestOptions): List<Webhook> {
    return this.listOf('/developer/webhooks', params, options);
  }

  retrieve(id: string, options?: RequestOptions): Promise<Returned<RetrievedWebhook>> {
    return this.request({ method: 'GET', path: pathOf`/developer/webhooks/${id}`, options });
  }

  /** Changes the given fields. */
  update(id: string, changes: WebhookChanges, options: ChangeOptions = {}): Promise<Returned<Webhook>> {
    const path = pathOf`/developer/webhooks/${id}`;
    return this.request({ method: 'PATCH', path, body: changes, ...changeCall(options) });
  }

  async delete(id: string, options: ChangeOptions = {}): Promise<void> {
    await this.request({ method: 'DELETE', path: pathOf`/developer/webhooks/${id}`, ...changeCall(options) });
  }

  /** Brings a deleted webhook back. */
  restore(id: string, options: ChangeOptions = {}): Promise<Returned<Webhook>> {
    const path = pathOf`/developer/webhooks/${id}/restore`;
    return this.request({ method: 'POST', path, isIdempotent: true, ...changeCall(options) });
  }

  /** Ends the pause of a webhook. */
  resume(id: string, options?: RequestOptions): Promise<Returned<Webhook>> {
    return this.request({
      method: 'POST',
      path: pathOf`/developer/webhooks/${id}/resume`,
      isIdempotent: true,
      options,
    });
  }

  /** Sends one callback now and resolves with what the receiver answered. */
  test(id: string, testCall: NewTestCall, options?: RequestOptions): Promise<Returned<TestCall>> {
    return this.request({ method: 'POST', path: pathOf`/developer/webhooks/${id}/test`, body: testCall, options });
  }

  /** Shows the callback that a uri and a body template make of an event. Sends nothing. */
  preview(preview: NewPreview, options?: RequestOptions): Promise<Returned<Preview>> {
    const path = '/developer/webhooks/preview';
    return this.request({ method: 'POST', path, body: preview, isIdempotent: true, options });
  }

  /** Resends what failed in a time range. */
  replay(id: string, replay: BodyOf<'startReplay'>, options?: RequestOptions): Promise<Returned<Replay>> {
    return this.request({ method: 'POST', path: pathOf`/developer/webhooks/${id}/replay`, body: replay, options });
  }

  retrieveVerification(id: string, options?: RequestOptions): Promise<Returned<Verification>> {
    return this.request({ method: 'GET', path: pathOf`/developer/webhooks/${id}/verification`, options });
  }

  startVerification(id: string, options?: RequestOptions): Promise<Returned<Verification>> {
    return this.request({ method: 'POST', path: pathOf`/developer/webhooks/${id}/verification`, options });
  }

  /** The key for `signingSecret` of `verify`. Needs the scope `write`. */
  retrieveSigningSecret(id: string, options?: RequestOptions): Promise<Returned<SigningSecret>> {
    return this.request({ method: 'GET', path: pathOf`/developer/webhooks/${id}/signing-secret`, options });
  }

  rotateSigningSecret(id: string, options?: RequestOptions): Promise<Returned<SigningSecret>> {
    return this.request({ method: 'POST', path: pathOf`/developer/webhooks/${id}/signing-secret/rotate`, options });
  }

  statistics(
    id: string,
    params?: ListParams<'getWebhookStatistics'>,
    options?: RequestOptions,
  ): Promise<Returned<WebhookStatistics>> {
    const path = pathOf`/developer/webhooks/${id}/statistics`;
    return this.request({ method: 'GET', path, query: params, options });
  }
}

/** `client.subscriptions` */
export class Subscriptions extends Resource {
  /** Subscribes a webhook to an event. The same subscription again resolves with the one that exists. */
  create(subscription: NewSubscription, options?: RequestOptions): Promise<Returned<SavedSubscription>> {
    const path = '/developer/subscriptions';
    return this.request({ method: 'POST', path, body: subscription, isIdempotent: true, options });
  }

  list(params?: ListParams<'listSubscriptions'>, options?: RequestOptions): List<Subscription> {
    return this.listOf('/developer/subscriptions', params, options);
  }

  retrieve(id: number, options?: RequestOptions): Promise<Returned<Subscription>> {
    return this.request({ method: 'GET', path: pathOf`/developer/subscriptions/${id}`, options });
  }

  async delete(id: number, options?: RequestOptions): Promise<void> {
    await this.request({ method: 'DELETE', path: pathOf`/developer/subscriptions/${id}`, options });
  }
}
