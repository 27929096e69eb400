/* eslint-disable max-lines */
// Generated from the API's OpenAPI document by `node scripts/client-types.mjs`. A test fails when it is out of date.
export interface paths {
  '/developer/webhooks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List webhooks
     * @description The webhooks that are not deleted, newest first. An unknown filter gets a 400.
     *
     *     Scope: `read`.
     */
    get: operations['listWebhooks'];
    put?: never;
    /**
     * Create a webhook
     * @description With a `token`, a verification challenge is sent to the address; the response does not wait for it. A webhook with placeholders in the `uri`, or with a `payload`, is a composed webhook.
     *
     *     Scope: `write`.
     */
    post: operations['createWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/webhooks/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Show a webhook
     * @description `status` is a number in this response only.
     *
     *     Scope: `read`.
     */
    get: operations['showWebhook'];
    /**
     * Edit a webhook
     * @description Later attempts of pending deliveries use the edited webhook. An absent field keeps its value. A portal session that is limited to some webhooks cannot clear a `secret`, nor change the `uri` of a webhook that has none: 422.
     *
     *     Scope: `write`.
     */
    put: operations['editWebhook'];
    post?: never;
    /**
     * Delete a webhook
     * @description The webhook is no longer called. It can be restored.
     *
     *     Scope: `write`.
     */
    delete: operations['deleteWebhook'];
    options?: never;
    head?: never;
    /**
     * Edit a webhook, by PATCH
     * @description The same as PUT.
     *
     *     Scope: `write`.
     */
    patch: operations['patchWebhook'];
    trace?: never;
  };
  '/developer/webhooks/{id}/restore': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Restore a deleted webhook
     * @description The webhook becomes active. 422 when the account has the maximum number of webhooks.
     *
     *     Scope: `write`.
     */
    post: operations['restoreWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/webhooks/{id}/release': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Release a paused webhook
     * @description The service may be configured to pause webhooks that fail for a long time or respond with 410. A paused webhook has the field `paused`, and the account gets the event `webhook:paused` if it subscribes to it. After the release, the waiting deliveries are sent within seconds, with their remaining attempts. A webhook that is not paused does not change.
     *
     *     Scope: `write`.
     */
    post: operations['releaseWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/webhooks/{id}/verification': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Show the outcome of the verification challenge
     * @description The outcome of the newest challenge; 404 when there was none.
     *
     *     Scope: `read`.
     */
    get: operations['showVerification'];
    put?: never;
    /**
     * Send the verification challenge again
     * @description 422 for a webhook that was created without a `token`. 409 when the token cannot be decrypted with the keys of the operator.
     *
     *     Scope: `write`.
     */
    post: operations['startVerification'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/webhooks/{id}/signing-secret': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Show the signing secret
     * @description The key of `webhook-signature`, the signature of Standard Webhooks. Each webhook gets its own key when it is created. A webhook older than this feature gets a key with the first request to this operation, and signs from then on. 409 when the secret cannot be decrypted with the keys of the operator.
     *
     *     Scope: `write`.
     */
    get: operations['showSigningSecret'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/webhooks/{id}/signing-secret/rotate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Replace the signing secret
     * @description For 24 hours callbacks carry a signature with each secret, the new one first. A second rotation within that time removes the oldest secret at once.
     *
     *     Scope: `write`.
     */
    post: operations['rotateSigningSecret'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/webhooks/{id}/test': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send a test call to a webhook
     * @description A worker calls the webhook at once, with an example of the event or with the `payload` of the request. The test call is like a callback, but it is sent only once and carries `X-Ringback-Test: true`. The response has the complete attempt, even if it failed (`attempt.error`). Inactive webhooks are called too. The delivery log does not contain test calls. 409 when the service does not call unverified webhooks. 503 when no worker is free in time; nothing is sent then.
     *
     *     Scope: `write`.
     */
    post: operations['testWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/webhooks/preview': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Render templates
     * @description Renders `uri` and `payload` as a webhook would, with an example of the event or with the payload in `sample`. Nothing is stored or sent.
     *
     *     Scope: `read`.
     */
    post: operations['previewWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/subscriptions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List subscriptions
     * @description Newest first.
     *
     *     Scope: `read`.
     */
    get: operations['listSubscriptions'];
    put?: never;
    /**
     * Subscribe a webhook to an event
     * @description If the same subscription exists, the response shows it. An account may have at most 1,000 subscriptions for the same event and identity. 403 for a portal session that is limited to some webhooks.
     *
     *     Scope: `write`.
     */
    post: operations['createSubscription'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/subscriptions/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Show a subscription
     * @description Scope: `read`.
     */
    get: operations['showSubscription'];
    put?: never;
    post?: never;
    /**
     * Delete a subscription
     * @description Scope: `write`.
     */
    delete: operations['deleteSubscription'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/deliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List deliveries
     * @description Newest first. A delivery must match all filters; an empty filter is ignored, an unknown one gets a 400. A page may have fewer deliveries than `per_page` although there is a next page.
     *
     *     Scope: `read`.
     */
    get: operations['listDeliveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/deliveries/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Show a delivery
     * @description With its event, and with the requests and responses of its attempts.
     *
     *     Scope: `read`.
     */
    get: operations['showDelivery'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/deliveries/{id}/curl': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Show the newest request of a delivery as a curl command
     * @description The command is for a POSIX shell and takes the token from `RINGBACK_TOKEN`. 409 when the request was not stored.
     *
     *     Scope: `read`.
     */
    get: operations['getDeliveryCurl'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/deliveries/{id}/resend': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send a delivery again
     * @description A final delivery gets one more attempt, without retries; a pending one gets its next attempt now. 409 when the webhook is inactive or deleted.
     *
     *     Scope: `replay`.
     */
    post: operations['resendDelivery'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/messages/{message_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Show what happened to a message
     * @description The first 200 events of the message, their deliveries, and the attempts of those deliveries, each oldest first.
     *
     *     Scope: `read`.
     */
    get: operations['showMessage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/webhooks/{id}/replay': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send many deliveries of a webhook again
     * @description Sends the deliveries that match the filter, oldest first; without `filter.status` the failed and the skipped ones. With `dry_run` it only counts them. 409 when the webhook is inactive or already has a running replay.
     *
     *     Scope: `replay`.
     */
    post: operations['startReplay'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/replays': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List replays
     * @description Newest first. A filter other than `webhook_id` gets a 400.
     *
     *     Scope: `read`.
     */
    get: operations['listReplays'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/replays/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Show the progress of a replay
     * @description Scope: `read`.
     */
    get: operations['showReplay'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/replays/{id}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Cancel a replay
     * @description Deliveries that the replay has already made pending are still sent. 409 when the replay is done.
     *
     *     Scope: `replay`.
     */
    post: operations['cancelReplay'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/changes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List changes
     * @description All changes of the account, with their time and their author, newest first. A change must match all filters; an empty filter is ignored, an unknown filter gets a 400. The values of secrets, tokens and templates and the queries of URIs are left out. If only the query of a `uri` changed, it looks the same before and after.
     *
     *     Scope: `read`.
     */
    get: operations['listChanges'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/tokens': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List access tokens
     * @description First the tokens that are not revoked, then the most recently revoked ones; at most 200 in all.
     *
     *     Scope: `read`.
     */
    get: operations['listTokens'];
    put?: never;
    /**
     * Create an access token
     * @description Only this response shows the token itself. 403 for a scope that the caller does not have. An account may have at most 100 access tokens that are not revoked.
     *
     *     Scope: `write`.
     */
    post: operations['createToken'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/tokens/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Revoke an access token
     * @description The token is refused at once, and the portal sessions that it opened end.
     *
     *     Scope: `write`.
     */
    delete: operations['revokeToken'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/portal-sessions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Open a session of the portal
     * @description The url is for one person. It leads to a page with the webhooks, deliveries and statistics of the account. A platform token can open sessions for any account. An access token can open sessions for its own account, with at most its own scopes (403 otherwise). A session also ends when the token that opened it is revoked. 404 for an unknown account; 409 when the account has 1,000 sessions that have not ended.
     */
    post: operations['openPortalSession'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/portal-sessions/exchange': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Exchange the link of a session for its bearer
     * @description The page uses this operation, because it has no other token. It may be repeated until the session ends. 401 for an unknown link, and for a session that has ended; the latter response has the `return_url` of the session.
     */
    post: operations['exchangePortalSession'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/portal-sessions/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * End a session of the portal
     * @description The bearer is refused at once. A session that has already ended does not change. An access token can end the sessions of its account that it opened itself, and those with at most its own scopes (403 otherwise).
     */
    delete: operations['endPortalSession'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/statistics': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Show the statistics of the account
     * @description The range is widened to whole buckets, which begin and end in UTC. An attempt counts in the bucket in which it started. Resends count too; test calls do not. Statistics are kept for 30 days longer than the log. `webhooks` has only live webhooks; everything else also counts deleted ones.
     *
     *     Scope: `read`.
     */
    get: operations['getStatistics'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/webhooks/{id}/statistics': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Show the statistics of a webhook
     * @description The range is widened to whole buckets, which begin and end in UTC. An attempt counts in the bucket in which it started. Resends count too; test calls do not. Statistics are kept for 30 days longer than the log.
     *
     *     Scope: `read`.
     */
    get: operations['getWebhookStatistics'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/developer/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the kinds of events
     * @description Each has the JSON Schema of its callback body and an example. Fields may be absent, and others may be present.
     *
     *     Scope: `read`.
     */
    get: operations['listEventKinds'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Push events
     * @description For SMS and RCS platforms without a BullMQ client: one event, or an array of up to 1,000. The response is sent when the events are durable, and has their ids in the same order. `account_id` may be absent when `webhook_id` is given. A repeated event has no further effect, so after a 503 the same request can be sent again. One malformed event fails the whole batch; an event with an unknown account or webhook is stored as rejected.
     */
    post: operations['pushEvents'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/openapi.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get this document */
    get: operations['getDocument'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/docs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Show this document as a page */
    get: operations['getDocs'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/healthz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Check that the process is running */
    get: operations['getHealth'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/readyz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Check that the database responds
     * @description The message says if the queue does not respond, which only test calls need.
     */
    get: operations['getReadiness'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/metrics': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get the metrics of this process, for Prometheus */
    get: operations['getMetrics'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    Webhook: {
      /** Format: uuid */
      id: string;
      name: string;
      /** @description The address as it was given, with its placeholders. */
      uri: string;
      /** @description The Bearer token of callbacks; when null, they use the callback token of the account. */
      secret: string | null;
      /** @description The `token` that was given at creation. */
      verification_code: string | null;
      /**
       * @description "1" active, "0" inactive.
       * @enum {string}
       */
      status: '1' | '0';
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      updated_at: string;
      /** @description The body template; present when set. */
      payload?: Record<string, never>;
      /**
       * @description Present when callbacks are not signed.
       * @constant
       */
      signing?: false;
      /** @description The maximum number of callbacks per second; present when set. */
      rate_limit?: number;
      /** @description Present while the webhook is paused: its deliveries wait until it is released. */
      paused?: {
        /** Format: date-time */
        since: string;
        /**
         * @description `failing`: all its callbacks failed for a long time. `gone`: it answered 410.
         * @enum {string}
         */
        reason: 'failing' | 'gone';
      };
      /**
       * Format: date-time
       * @description Present when the webhook is deleted.
       */
      deleted_at?: string;
      /** @description The fields that are null because they cannot be decrypted with the keys of the operator; present when there are any. */
      unreadable?: ('secret' | 'verification_code')[];
    };
    PageLinks: {
      first: string;
      last: string;
      prev: string | null;
      next: string | null;
    };
    PageMeta: {
      current_page: number;
      from: number | null;
      last_page: number;
      links: {
        url: string | null;
        /** @description A page number, `...` for a gap, `&laquo; Previous` or `Next &raquo;`. */
        label: string;
        active: boolean;
      }[];
      path: string;
      per_page: number;
      to: number | null;
      total: number;
    };
    NewWebhook: {
      /** @description 1 to 255 characters after trimming. */
      name: string;
      /** @description An absolute http or https URL. Values of its query may have placeholders. */
      uri: string;
      /** @description The body template. Null in an edit removes it. */
      payload?: Record<string, never> | null;
      /** @description 1 active, 0 inactive. When absent, 1 at creation and unchanged in an edit. */
      status?: (0 | 1 | '0' | '1') | null;
      /** @description The Bearer token of callbacks. Empty and null mean none. */
      secret?: (string & (unknown & unknown)) | null;
      /** @description Whether callbacks carry `Signature` and `webhook-signature`. When absent, true at creation and unchanged in an edit. */
      signing?: boolean;
      /** @description The maximum number of callbacks per second; null means no limit. When absent in an edit, unchanged. */
      rate_limit?: number | null;
      /** @description The token of the verification challenge. */
      token?: (string & (unknown & unknown)) | null;
    };
    ShownWebhook: {
      /** Format: uuid */
      id: string;
      name: string;
      /** @description The address as it was given, with its placeholders. */
      uri: string;
      /** @description The Bearer token of callbacks; when null, they use the callback token of the account. */
      secret: string | null;
      /** @description The `token` that was given at creation. */
      verification_code: string | null;
      /**
       * @description 1 active, 0 inactive.
       * @enum {number}
       */
      status: 1 | 0;
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      updated_at: string;
      /** @description The body template; present when set. */
      payload?: Record<string, never>;
      /**
       * @description Present when callbacks are not signed.
       * @constant
       */
      signing?: false;
      /** @description The maximum number of callbacks per second; present when set. */
      rate_limit?: number;
      /** @description Present while the webhook is paused: its deliveries wait until it is released. */
      paused?: {
        /** Format: date-time */
        since: string;
        /**
         * @description `failing`: all its callbacks failed for a long time. `gone`: it answered 410.
         * @enum {string}
         */
        reason: 'failing' | 'gone';
      };
      /**
       * Format: date-time
       * @description Present when the webhook is deleted.
       */
      deleted_at?: string;
      /** @description The fields that are null because they cannot be decrypted with the keys of the operator; present when there are any. */
      unreadable?: ('secret' | 'verification_code')[];
    };
    WebhookChanges: {
      /** @description 1 to 255 characters after trimming. */
      name: string;
      /** @description An absolute http or https URL. Values of its query may have placeholders. */
      uri: string;
      /** @description The body template. Null in an edit removes it. */
      payload?: Record<string, never> | null;
      /** @description 1 active, 0 inactive. When absent, 1 at creation and unchanged in an edit. */
      status?: (0 | 1 | '0' | '1') | null;
      /** @description The Bearer token of callbacks. Empty and null mean none. */
      secret?: (string & (unknown & unknown)) | null;
      /** @description Whether callbacks carry `Signature` and `webhook-signature`. When absent, true at creation and unchanged in an edit. */
      signing?: boolean;
      /** @description The maximum number of callbacks per second; null means no limit. When absent in an edit, unchanged. */
      rate_limit?: number | null;
    };
    Verification: {
      /** Format: uuid */
      id: string;
      /** Format: uuid */
      webhook_id: string;
      /** @enum {string} */
      status: 'pending' | 'passed' | 'failed';
      attempts: number;
      /** @description Why the last attempt failed. */
      reason: string | null;
      next_attempt_at: string | null;
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      updated_at: string;
    };
    SigningSecret: {
      /** @description `whsec_` and the key in base64, the format of the Standard Webhooks libraries. */
      secret: string;
      /** @description The time until which callbacks also carry a signature with the previous secret; null when they do not. */
      previous_signs_until: string | null;
    };
    NewTestCall: {
      /** @enum {string} */
      event: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in' | 'webhook:paused';
      /** @description The payload, as a platform would push it; an example when absent. */
      payload?: Record<string, never> | string | null;
    };
    TestCall: {
      /**
       * Format: uuid
       * @description The `X-Ringback-Delivery` of the test call. The delivery log does not contain it.
       */
      id: string;
      /** Format: uuid */
      webhook_id: string;
      /** @enum {string} */
      event: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in' | 'webhook:paused';
      payload: Record<string, never>;
      attempt: components['schemas']['Attempt'];
    };
    Attempt: {
      number: number;
      /** @description `scheduled`, `resend` for an attempt that was requested, or `test` for a test call. */
      kind: string;
      /** Format: date-time */
      started_at: string;
      /** @description The request as it was sent, with the token masked. Headers and body are null when they were not stored. */
      request: {
        /** @constant */
        method: 'POST';
        url: string;
        headers: {
          [key: string]: string;
        } | null;
        body: string | null;
      };
      /** @description Null when there was no response. */
      response: {
        code: number | null;
        headers: Record<string, never> | null;
        /** @description The first KiB of the body. */
        body: string;
      } | null;
      timings: {
        dns_ms: number | null;
        connect_ms: number | null;
        tls_ms: number | null;
        first_byte_ms: number | null;
        total_ms: number;
      };
      remote_address: string | null;
      /** @description How the attempt failed; null when it succeeded. */
      error: ('timeout' | 'dns' | 'tls' | 'connect' | 'reset' | 'refused' | 'protocol' | 'status') | null;
      error_code: string | null;
      warnings: string[];
    };
    NewPreview: {
      /** @enum {string} */
      event: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in' | 'webhook:paused';
      /** @description An absolute http or https URL. Values of its query may have placeholders. */
      uri?: string;
      /** @description The body template. Null in an edit removes it. */
      payload?: Record<string, never> | null;
      /** @description The payload of an event; an example when absent. */
      sample?: Record<string, never> | string | null;
    };
    Preview: {
      /** @enum {string} */
      event: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in' | 'webhook:paused';
      /** @description The payload that the templates were rendered with. */
      sample: Record<string, never>;
      /** @description Null when the request had no `uri`. */
      url: string | null;
      /** @description The exact body of the callback. */
      body: string;
      /** @description Placeholders that are unknown, null or empty. */
      warnings: string[];
    };
    Subscription: {
      id: number;
      event: string;
      identity: string;
      payload: null;
      /** Format: uuid */
      webhook_id: string;
      /** Format: date-time */
      created_at: string;
    };
    NewSubscription: {
      /** @enum {string} */
      event: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in' | 'webhook:paused';
      /** @description The identity of the events, or `all` for every identity, also when absent, empty or null. */
      identity?: string | null;
      /** @description The id of a webhook of the account that is not deleted. */
      webhook_id: string;
    };
    SavedSubscription: {
      id: number;
      event: string;
      identity: string;
      payload: unknown[];
      /** Format: uuid */
      webhook_id: string;
      /** Format: date-time */
      created_at: string;
    };
    Delivery: {
      /**
       * Format: uuid
       * @description The `X-Ringback-Delivery` of every attempt.
       */
      id: string;
      /** Format: uuid */
      webhook_id: string;
      /** Format: uuid */
      event_id: string;
      /** @enum {string} */
      event: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in' | 'webhook:paused';
      message_id: string | null;
      mobile: string | null;
      /** @enum {string} */
      state: 'pending' | 'delivered' | 'failed' | 'skipped';
      /**
       * @description The same as `state`.
       * @enum {string}
       */
      status: 'pending' | 'delivered' | 'failed' | 'skipped';
      /** @description Why the delivery was skipped or failed. */
      reason: string | null;
      attempt_count: number;
      /** @description The HTTP status of the response; null without a response. */
      response_code: number | null;
      /** @description How the attempt failed; null when it succeeded. */
      error: ('timeout' | 'dns' | 'tls' | 'connect' | 'reset' | 'refused' | 'protocol' | 'status') | null;
      /** @description The time of the next attempt. Null when the delivery is final, and while its webhook is paused. */
      due_at: string | null;
      /** @description The same as `due_at`. */
      next_attempt_at: string | null;
      /**
       * @description Present while the webhook is paused.
       * @constant
       */
      paused?: true;
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      updated_at: string;
    };
    CursorLinks: {
      first: string;
      last: null;
      prev: string | null;
      next: string | null;
    };
    CursorMeta: {
      path: string;
      per_page: number;
      next_cursor: string | null;
      prev_cursor: string | null;
    };
    DeliveryDetail: {
      /**
       * Format: uuid
       * @description The `X-Ringback-Delivery` of every attempt.
       */
      id: string;
      /** Format: uuid */
      webhook_id: string;
      /** Format: uuid */
      event_id: string;
      /** @enum {string} */
      event: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in' | 'webhook:paused';
      message_id: string | null;
      mobile: string | null;
      /** @enum {string} */
      state: 'pending' | 'delivered' | 'failed' | 'skipped';
      /**
       * @description The same as `state`.
       * @enum {string}
       */
      status: 'pending' | 'delivered' | 'failed' | 'skipped';
      /** @description Why the delivery was skipped or failed. */
      reason: string | null;
      attempt_count: number;
      /** @description The HTTP status of the response; null without a response. */
      response_code: number | null;
      /** @description How the attempt failed; null when it succeeded. */
      error: ('timeout' | 'dns' | 'tls' | 'connect' | 'reset' | 'refused' | 'protocol' | 'status') | null;
      /** @description The time of the next attempt. Null when the delivery is final, and while its webhook is paused. */
      due_at: string | null;
      /** @description The same as `due_at`. */
      next_attempt_at: string | null;
      /**
       * @description Present while the webhook is paused.
       * @constant
       */
      paused?: true;
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      updated_at: string;
      identity: string | null;
      /** @description The payload as the platform sent it. */
      payload: Record<string, never>;
      /** Format: date-time */
      received_at: string;
      /** @description The newest 100, oldest first. */
      attempts: components['schemas']['Attempt'][];
    };
    Message: {
      message_id: string;
      events: components['schemas']['MessageEvent'][];
    };
    MessageEvent: {
      /** Format: uuid */
      id: string;
      /** @enum {string} */
      event: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in' | 'webhook:paused';
      identity: string | null;
      mobile: string | null;
      /** @enum {string} */
      state: 'routed' | 'unrouted';
      /**
       * @description The same as `state`.
       * @enum {string}
       */
      status: 'routed' | 'unrouted';
      /** @description The payload as the platform sent it. */
      payload: Record<string, never>;
      /** Format: date-time */
      received_at: string;
      deliveries: components['schemas']['MessageDelivery'][];
    };
    MessageDelivery: {
      /**
       * Format: uuid
       * @description The `X-Ringback-Delivery` of every attempt.
       */
      id: string;
      /** Format: uuid */
      webhook_id: string;
      /** Format: uuid */
      event_id: string;
      /** @enum {string} */
      event: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in' | 'webhook:paused';
      message_id: string | null;
      mobile: string | null;
      /** @enum {string} */
      state: 'pending' | 'delivered' | 'failed' | 'skipped';
      /**
       * @description The same as `state`.
       * @enum {string}
       */
      status: 'pending' | 'delivered' | 'failed' | 'skipped';
      /** @description Why the delivery was skipped or failed. */
      reason: string | null;
      attempt_count: number;
      /** @description The HTTP status of the response; null without a response. */
      response_code: number | null;
      /** @description How the attempt failed; null when it succeeded. */
      error: ('timeout' | 'dns' | 'tls' | 'connect' | 'reset' | 'refused' | 'protocol' | 'status') | null;
      /** @description The time of the next attempt. Null when the delivery is final, and while its webhook is paused. */
      due_at: string | null;
      /** @description The same as `due_at`. */
      next_attempt_at: string | null;
      /**
       * @description Present while the webhook is paused.
       * @constant
       */
      paused?: true;
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      updated_at: string;
      attempts: components['schemas']['BriefAttempt'][];
    };
    BriefAttempt: {
      number: number;
      /** @description `scheduled`, `resend` for an attempt that was requested, or `test` for a test call. */
      kind: string;
      /** Format: date-time */
      started_at: string;
      duration_ms: number;
      /** @description The HTTP status of the response; null without a response. */
      response_code: number | null;
      /** @description How the attempt failed; null when it succeeded. */
      error: ('timeout' | 'dns' | 'tls' | 'connect' | 'reset' | 'refused' | 'protocol' | 'status') | null;
    };
    ReplayCount: {
      count: number;
      /** @description False when there are more deliveries than the count. */
      complete: boolean;
    };
    Replay: {
      /** Format: uuid */
      id: string;
      /** Format: uuid */
      webhook_id: string;
      /** @enum {string} */
      state: 'running' | 'done' | 'cancelled';
      /**
       * @description The same as `state`.
       * @enum {string}
       */
      status: 'running' | 'done' | 'cancelled';
      /** @description Why the service cancelled it; null otherwise. */
      reason: string | null;
      /** @description The effective filter. */
      filter: {
        status: string | null;
        event: ('sms:message:status' | 'rcs:message:status' | 'rcs:message:in' | 'webhook:paused') | null;
        message_id: string | null;
        mobile: string | null;
        response_code: number | null;
        error: ('timeout' | 'dns' | 'tls' | 'connect' | 'reset' | 'refused' | 'protocol' | 'status') | null;
        since: string | null;
        until: string | null;
      };
      /** @description The maximum number of deliveries per second. */
      rate: number;
      /** @description The number of matching deliveries at the start; null when there were too many to count. */
      total: number | null;
      replayed: number;
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      updated_at: string;
      finished_at: string | null;
    };
    Change: {
      /** Format: uuid */
      id: string;
      /** Format: date-time */
      at: string;
      /** @description The author: `token:` and the id of an access token, `platform_token:` and that of a platform token, `portal:` and that of a portal session, or `operator`. */
      actor: string;
      /** @description The `actor` of the portal session; present when it has one. */
      actor_name?: string;
      /** @enum {string} */
      action:
        | 'account.created'
        | 'token.created'
        | 'token.revoked'
        | 'platform_token.created'
        | 'platform_token.revoked'
        | 'portal_session.created'
        | 'portal_session.ended'
        | 'webhook.created'
        | 'webhook.updated'
        | 'webhook.deleted'
        | 'webhook.restored'
        | 'webhook.released'
        | 'webhook.tested'
        | 'signing_secret.shown'
        | 'signing_secret.rotated'
        | 'verification.started'
        | 'subscription.created'
        | 'subscription.deleted'
        | 'delivery.resent'
        | 'replay.started'
        | 'replay.cancelled';
      /** @enum {string} */
      object_type: 'account' | 'token' | 'portal_session' | 'webhook' | 'subscription' | 'delivery' | 'replay';
      object_id: string;
      /** @description The changed fields. `before` and `after` are left out when they would reveal a secret. */
      changed: {
        field: string;
        before?: string | number | boolean | null;
        after?: string | number | boolean | null;
      }[];
    };
    AccessToken: {
      /** Format: uuid */
      id: string;
      scopes: ('read' | 'write' | 'replay')[];
      /** Format: date-time */
      created_at: string;
      revoked_at: string | null;
    };
    NewAccessToken: {
      /** @description One or more of read, write, replay, and at most the scopes of the caller; when absent, those of the caller. */
      scopes?: ('read' | 'write' | 'replay')[] | null;
    };
    CreatedAccessToken: {
      /** Format: uuid */
      id: string;
      scopes: ('read' | 'write' | 'replay')[];
      /** Format: date-time */
      created_at: string;
      revoked_at: string | null;
      /** @description The token. It is not stored and cannot be shown again. */
      token: string;
    };
    NewPortalSession: {
      /** @description The account. With an access token it may be omitted, and must not be another account than that of the token. */
      account_id?: string | null;
      /** @description One or more of read, write, replay, and at most the scopes of the caller; when absent, those of the caller. */
      scopes?: ('read' | 'write' | 'replay')[] | null;
      /** @description The live webhooks of the account that the session is limited to; all when absent. For a limited session the other webhooks do not exist. It cannot create webhooks, subscriptions or access tokens, clear the secret of a webhook, or change the uri of one that has no secret. */
      webhook_ids?: string[] | null;
      /** @description The seconds until the session ends; 900 when absent. */
      expires_in?: number | null;
      /** @description The name of the person, for the log of changes. */
      actor?: string | null;
      /** @description Whether the page masks phone numbers until the person shows them; false when absent. */
      mask?: boolean | null;
      theme?: components['schemas']['PortalTheme'] | null;
      /** @description Where the page leads when the session has ended: an http or https URL. */
      return_url?: string | null;
    };
    PortalTheme: {
      /** @description The title of the page. */
      name?: string;
      /** @description A data:image URL, or an https: URL of the origin of the page or of one that the operator allows. */
      logo_url?: string;
      accent?: string;
      background?: string;
      text?: string;
      /** @description Names of installed fonts, separated by commas. */
      font?: string;
    };
    OpenedPortalSession: {
      /** Format: uuid */
      id: string;
      /** @description The address of the page, with the link token of the session in the fragment. */
      url: string;
      /** Format: date-time */
      expires_at: string;
    };
    PortalLink: {
      /** @description The token in the fragment of the url of a session. */
      session: string;
    };
    PortalSession: {
      /** @description The bearer token for operations under `/developer`, valid until the session ends. */
      token: string;
      account: {
        /** Format: uuid */
        id: string;
        name: string;
      };
      scopes: ('read' | 'write' | 'replay')[];
      /** @description The webhooks that the session is limited to; null means all. */
      webhook_ids: string[] | null;
      actor: string | null;
      mask: boolean;
      theme: components['schemas']['PortalTheme'] | null;
      return_url: string | null;
      /** Format: date-time */
      expires_at: string;
    };
    AccountStatistics: {
      /** Format: date-time */
      from: string;
      /** Format: date-time */
      to: string;
      /** @enum {string} */
      interval: 'minute' | 'hour' | 'day';
      totals: {
        /** @description The number of HTTP requests sent. */
        attempts: number;
        /** @description Attempts that succeeded. */
        delivered: number;
        /** @description Attempts that failed and are followed by another one. */
        retried: number;
        /** @description Attempts that failed and were the last one, and deliveries that failed without an attempt. */
        failed: number;
        /** @description Deliveries that were not attempted, because the webhook was inactive or deleted. */
        skipped: number;
        by_event: {
          [key: string]: components['schemas']['StatisticCounts'];
        };
        /** @description Attempts by the HTTP status of the response. */
        by_status: {
          [key: string]: number;
        };
        /** @description Attempts without a response, by `timeout`, `dns`, `connect`, `tls`, `reset`, `refused` or `protocol`. */
        by_error: {
          [key: string]: number;
        };
        latency_ms: {
          p50: number;
          p90: number;
          p95: number;
          p99: number;
        } | null;
      };
      /** @description All buckets of the range, including empty ones. */
      buckets: components['schemas']['StatisticBucket'][];
      /** @description The deliveries that are waiting now, of any event. */
      waiting: {
        count: number;
        /** @description Whether there are more than `count`. */
        is_capped: boolean;
        /** @description How many of them have had an attempt. */
        retries: number;
      };
      /**
       * @description The length of the buckets of `webhooks`: at most 60, or days.
       * @enum {string}
       */
      webhooks_interval: 'minute' | 'hour' | 'day';
      /** @description The webhooks with the most failures, in that order: 100, or fewer if each has more than 60 buckets. */
      webhooks: components['schemas']['StatisticsOfWebhook'][];
    };
    StatisticCounts: {
      /** @description The number of HTTP requests sent. */
      attempts: number;
      /** @description Attempts that succeeded. */
      delivered: number;
      /** @description Attempts that failed and are followed by another one. */
      retried: number;
      /** @description Attempts that failed and were the last one, and deliveries that failed without an attempt. */
      failed: number;
      /** @description Deliveries that were not attempted, because the webhook was inactive or deleted. */
      skipped: number;
    };
    StatisticBucket: {
      /** Format: date-time */
      start: string;
      /** @description The number of HTTP requests sent. */
      attempts: number;
      /** @description Attempts that succeeded. */
      delivered: number;
      /** @description Attempts that failed and are followed by another one. */
      retried: number;
      /** @description Attempts that failed and were the last one, and deliveries that failed without an attempt. */
      failed: number;
      /** @description Deliveries that were not attempted, because the webhook was inactive or deleted. */
      skipped: number;
      by_event: {
        [key: string]: components['schemas']['StatisticCounts'];
      };
      latency_ms: components['schemas']['StatisticLatency'];
    };
    /** @description Percentiles of the durations of attempts, with an error of at most 7.2 %. Null without an attempt. */
    StatisticLatency: {
      p50: number;
      p95: number;
    } | null;
    StatisticsOfWebhook: {
      /** Format: uuid */
      id: string;
      name: string;
      /** @description The number of HTTP requests sent. */
      attempts: number;
      /** @description Attempts that succeeded. */
      delivered: number;
      /** @description Attempts that failed and are followed by another one. */
      retried: number;
      /** @description Attempts that failed and were the last one, and deliveries that failed without an attempt. */
      failed: number;
      /** @description Deliveries that were not attempted, because the webhook was inactive or deleted. */
      skipped: number;
      latency_ms: components['schemas']['StatisticLatency'];
      buckets: {
        /** Format: date-time */
        start: string;
        delivered: number;
        failed: number;
      }[];
    };
    Statistics: {
      /** Format: date-time */
      from: string;
      /** Format: date-time */
      to: string;
      /** @enum {string} */
      interval: 'minute' | 'hour' | 'day';
      totals: {
        /** @description The number of HTTP requests sent. */
        attempts: number;
        /** @description Attempts that succeeded. */
        delivered: number;
        /** @description Attempts that failed and are followed by another one. */
        retried: number;
        /** @description Attempts that failed and were the last one, and deliveries that failed without an attempt. */
        failed: number;
        /** @description Deliveries that were not attempted, because the webhook was inactive or deleted. */
        skipped: number;
        by_event: {
          [key: string]: components['schemas']['StatisticCounts'];
        };
        /** @description Attempts by the HTTP status of the response. */
        by_status: {
          [key: string]: number;
        };
        /** @description Attempts without a response, by `timeout`, `dns`, `connect`, `tls`, `reset`, `refused` or `protocol`. */
        by_error: {
          [key: string]: number;
        };
        latency_ms: {
          p50: number;
          p90: number;
          p95: number;
          p99: number;
        } | null;
      };
      /** @description All buckets of the range, including empty ones. */
      buckets: components['schemas']['StatisticBucket'][];
      /** @description The deliveries that are waiting now, of any event. */
      waiting: {
        count: number;
        /** @description Whether there are more than `count`. */
        is_capped: boolean;
        /** @description How many of them have had an attempt. */
        retries: number;
      };
    };
    EventKind: {
      /** @enum {string} */
      event: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in' | 'webhook:paused';
      /** @enum {string} */
      channel: 'sms' | 'rcs';
      description: string;
      /** @description The JSON Schema of the body of a callback without a template. */
      schema: Record<string, never>;
      /** @description An example of the body. */
      sample: Record<string, never>;
    };
    Event: {
      /** @enum {string} */
      event: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in';
      account_id?: string | null;
      webhook_id?: string | null;
      /** @description Empty and null mean absent. */
      identity?: string | null;
      /** @description Empty and null mean absent. */
      event_id?: string | null;
      /** @description An object, or the JSON text of one, which is sent unchanged. */
      payload:
        | ({
            /** @description The id of the message. An integer stands for its decimal digits. */
            id: string | number;
            mobile?: unknown;
          } & {
            [key: string]: unknown;
          })
        | string;
    };
    BadRequest: {
      /** @constant */
      status: 'BadRequest';
      /** @constant */
      code: 400;
      message: string;
    };
    Unauthenticated: {
      /** @constant */
      status: 'Unauthenticated';
      /** @constant */
      code: 401;
      message: string;
      /** @description Where a portal session that has ended came from, when that is known. */
      return_url?: string;
    };
    Forbidden: {
      /** @constant */
      status: 'Forbidden';
      /** @constant */
      code: 403;
      message: string;
    };
    PayloadTooLarge: {
      /** @constant */
      status: 'PayloadTooLarge';
      /** @constant */
      code: 413;
      message: string;
    };
    UnsupportedMediaType: {
      /** @constant */
      status: 'UnsupportedMediaType';
      /** @constant */
      code: 415;
      message: string;
    };
    ValidationError: {
      /** @constant */
      status: 'ValidationError';
      /** @constant */
      code: 422;
      message: string;
      /** @description The error messages of each field. */
      errors: {
        [key: string]: string[];
      };
    };
    TooManyRequests: {
      /** @constant */
      status: 'TooManyRequests';
      /** @constant */
      code: 429;
      message: string;
    };
    ServerError: {
      /** @constant */
      status: 'ServerError';
      /** @constant */
      code: 500;
      message: string;
    };
    ServiceUnavailable: {
      /** @constant */
      status: 'ServiceUnavailable';
      /** @constant */
      code: 503;
      message: string;
    };
    LoopDetected: {
      /** @constant */
      status: 'LoopDetected';
      /** @constant */
      code: 508;
      message: string;
    };
    NotFound: {
      /** @constant */
      status: 'NotFound';
      /** @constant */
      code: 404;
      message: string;
    };
    Conflict: {
      /** @constant */
      status: 'Conflict';
      /** @constant */
      code: 409;
      message: string;
    };
  };
  responses: {
    /** @description The request is malformed. */
    BadRequest: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['BadRequest'];
      };
    };
    /** @description The token is missing, unknown, or of the wrong kind. */
    Unauthenticated: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Unauthenticated'];
      };
    };
    /** @description The token lacks the scope of the operation, or the portal session is limited to some webhooks. */
    Forbidden: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Forbidden'];
      };
    };
    /** @description The body is too large. */
    PayloadTooLarge: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['PayloadTooLarge'];
      };
    };
    /** @description The content type of the body is not supported. */
    UnsupportedMediaType: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['UnsupportedMediaType'];
      };
    };
    /** @description The input is not valid; `errors` lists the errors of each field. */
    ValidationError: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ValidationError'];
      };
    };
    /** @description The account sends too many requests, per minute or concurrently; `Retry-After` says when to try again. */
    TooManyRequests: {
      headers: {
        /** @description The seconds to wait before the next try. */
        'Retry-After'?: number;
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['TooManyRequests'];
      };
    };
    /** @description An internal error. */
    ServerError: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ServerError'];
      };
    };
    /** @description The database or the queue is unavailable, or a list query took longer than 2 s and was cancelled. */
    ServiceUnavailable: {
      headers: {
        /** @description The seconds to wait before the next try. */
        'Retry-After'?: number;
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ServiceUnavailable'];
      };
    };
    /** @description The request is a callback of Ringback: a webhook points to this API. */
    LoopDetected: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['LoopDetected'];
      };
    };
    /** @description The resource does not exist, or belongs to another account. */
    NotFound: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['NotFound'];
      };
    };
    /** @description The current state does not allow the operation. */
    Conflict: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Conflict'];
      };
    };
  };
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  listWebhooks: {
    parameters: {
      query?: {
        /** @description The number of the page. Any other value means page 1. */
        page?: number;
        /** @description Items per page; 15 when absent. */
        per_page?: number;
        /** @description A part of the name, in any case. Commas separate alternatives: at most 20, of 255 characters each. */
        'filter[name]'?: string;
        /** @description `with` includes deleted webhooks, `only` lists only those. */
        'filter[trashed]'?: 'with' | 'only';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Created successfully. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Created successfully",
           *       "data": [
           *         {
           *           "id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *           "name": "orders",
           *           "uri": "https://example.com/callbacks",
           *           "secret": "a-bearer-of-your-own",
           *           "verification_code": "verify-me",
           *           "status": "1",
           *           "created_at": "2026-01-15T09:30:00.000000Z",
           *           "updated_at": "2026-01-15T09:30:00.000000Z"
           *         }
           *       ],
           *       "links": {
           *         "first": "https://ringback.example/api/v2/developer/webhooks?page=1",
           *         "last": "https://ringback.example/api/v2/developer/webhooks?page=1",
           *         "prev": null,
           *         "next": null
           *       },
           *       "meta": {
           *         "current_page": 1,
           *         "from": 1,
           *         "last_page": 1,
           *         "links": [
           *           {
           *             "url": null,
           *             "label": "&laquo; Previous",
           *             "active": false
           *           },
           *           {
           *             "url": "https://ringback.example/api/v2/developer/webhooks?page=1",
           *             "label": "1",
           *             "active": true
           *           },
           *           {
           *             "url": null,
           *             "label": "Next &raquo;",
           *             "active": false
           *           }
           *         ],
           *         "path": "https://ringback.example/api/v2/developer/webhooks",
           *         "per_page": 15,
           *         "to": 1,
           *         "total": 1
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Created successfully';
            data: components['schemas']['Webhook'][];
            links: components['schemas']['PageLinks'];
            meta: components['schemas']['PageMeta'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  createWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "orders",
         *       "uri": "https://example.com/callbacks",
         *       "secret": "a-bearer-of-your-own",
         *       "token": "verify-me"
         *     }
         */
        'application/json': components['schemas']['NewWebhook'];
        'application/x-www-form-urlencoded': components['schemas']['NewWebhook'];
      };
    };
    responses: {
      /** @description Created successfully. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Created successfully",
           *       "data": {
           *         "id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *         "name": "orders",
           *         "uri": "https://example.com/callbacks",
           *         "secret": "a-bearer-of-your-own",
           *         "verification_code": "verify-me",
           *         "status": "1",
           *         "created_at": "2026-01-15T09:30:00.000000Z",
           *         "updated_at": "2026-01-15T09:30:00.000000Z"
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Created successfully';
            data: components['schemas']['Webhook'];
            /** @description Probable mistakes in the templates; present when there are any. */
            warnings?: string[];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  showWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a webhook of the account.
         * @example 180ebbb5-9b6f-4c51-a98a-0123456789ab
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "OK",
           *       "data": {
           *         "id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *         "name": "orders",
           *         "uri": "https://example.com/callbacks",
           *         "secret": "a-bearer-of-your-own",
           *         "verification_code": "verify-me",
           *         "status": 1,
           *         "created_at": "2026-01-15T09:30:00.000000Z",
           *         "updated_at": "2026-01-15T09:30:00.000000Z"
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'OK';
            data: components['schemas']['ShownWebhook'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  editWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a webhook of the account.
         * @example 180ebbb5-9b6f-4c51-a98a-0123456789ab
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "orders, paused",
         *       "uri": "https://example.com/callbacks",
         *       "status": 0
         *     }
         */
        'application/json': components['schemas']['WebhookChanges'];
        'application/x-www-form-urlencoded': components['schemas']['WebhookChanges'];
      };
    };
    responses: {
      /** @description Updated successfully. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Updated successfully",
           *       "data": {
           *         "id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *         "name": "orders, paused",
           *         "uri": "https://example.com/callbacks",
           *         "secret": "a-bearer-of-your-own",
           *         "verification_code": "verify-me",
           *         "status": "0",
           *         "created_at": "2026-01-15T09:30:00.000000Z",
           *         "updated_at": "2026-01-15T09:30:00.000000Z"
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Updated successfully';
            data: components['schemas']['Webhook'];
            /** @description Probable mistakes in the templates; present when there are any. */
            warnings?: string[];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  deleteWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a webhook of the account.
         * @example 180ebbb5-9b6f-4c51-a98a-0123456789ab
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Deleted successfully. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Deleted successfully",
           *       "data": []
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Deleted successfully';
            data: unknown[];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  patchWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a webhook of the account.
         * @example 180ebbb5-9b6f-4c51-a98a-0123456789ab
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "name": "orders, paused",
         *       "uri": "https://example.com/callbacks",
         *       "status": 0
         *     }
         */
        'application/json': components['schemas']['WebhookChanges'];
        'application/x-www-form-urlencoded': components['schemas']['WebhookChanges'];
      };
    };
    responses: {
      /** @description Updated successfully. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Updated successfully",
           *       "data": {
           *         "id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *         "name": "orders, paused",
           *         "uri": "https://example.com/callbacks",
           *         "secret": "a-bearer-of-your-own",
           *         "verification_code": "verify-me",
           *         "status": "0",
           *         "created_at": "2026-01-15T09:30:00.000000Z",
           *         "updated_at": "2026-01-15T09:30:00.000000Z"
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Updated successfully';
            data: components['schemas']['Webhook'];
            /** @description Probable mistakes in the templates; present when there are any. */
            warnings?: string[];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  restoreWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a webhook of the account.
         * @example 180ebbb5-9b6f-4c51-a98a-0123456789ab
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Restored successfully. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Restored successfully",
           *       "data": {
           *         "id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *         "name": "orders",
           *         "uri": "https://example.com/callbacks",
           *         "secret": "a-bearer-of-your-own",
           *         "verification_code": "verify-me",
           *         "status": "1",
           *         "created_at": "2026-01-15T09:30:00.000000Z",
           *         "updated_at": "2026-01-15T09:30:00.000000Z"
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Restored successfully';
            data: components['schemas']['Webhook'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  releaseWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a webhook of the account.
         * @example 180ebbb5-9b6f-4c51-a98a-0123456789ab
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Released successfully. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Released successfully",
           *       "data": {
           *         "id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *         "name": "orders",
           *         "uri": "https://example.com/callbacks",
           *         "secret": "a-bearer-of-your-own",
           *         "verification_code": "verify-me",
           *         "status": "1",
           *         "created_at": "2026-01-15T09:30:00.000000Z",
           *         "updated_at": "2026-01-15T09:30:00.000000Z"
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Released successfully';
            data: components['schemas']['Webhook'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  showVerification: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a webhook of the account.
         * @example 180ebbb5-9b6f-4c51-a98a-0123456789ab
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "OK",
           *       "data": {
           *         "id": "0199f3a0-7c11-7abc-8def-0123456789ab",
           *         "webhook_id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *         "status": "passed",
           *         "attempts": 1,
           *         "reason": null,
           *         "next_attempt_at": null,
           *         "created_at": "2026-01-15T09:30:00.000000Z",
           *         "updated_at": "2026-01-15T09:30:01.000000Z"
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'OK';
            data: components['schemas']['Verification'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  startVerification: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a webhook of the account.
         * @example 180ebbb5-9b6f-4c51-a98a-0123456789ab
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Verification started. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Verification started",
           *       "data": {
           *         "id": "0199f3a0-7c11-7abc-8def-0123456789ab",
           *         "webhook_id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *         "status": "pending",
           *         "attempts": 0,
           *         "reason": null,
           *         "next_attempt_at": "2026-01-15T09:30:00.000000Z",
           *         "created_at": "2026-01-15T09:30:00.000000Z",
           *         "updated_at": "2026-01-15T09:30:01.000000Z"
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Verification started';
            data: components['schemas']['Verification'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  showSigningSecret: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a webhook of the account.
         * @example 180ebbb5-9b6f-4c51-a98a-0123456789ab
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "OK",
           *       "data": {
           *         "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwV3jBy0a1b2c=",
           *         "previous_signs_until": null
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'OK';
            data: components['schemas']['SigningSecret'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  rotateSigningSecret: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a webhook of the account.
         * @example 180ebbb5-9b6f-4c51-a98a-0123456789ab
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Signing secret rotated. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Signing secret rotated",
           *       "data": {
           *         "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwV3jBy0a1b2c=",
           *         "previous_signs_until": "2026-01-16T09:30:00.000000Z"
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Signing secret rotated';
            data: components['schemas']['SigningSecret'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  testWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a webhook of the account.
         * @example 180ebbb5-9b6f-4c51-a98a-0123456789ab
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "event": "sms:message:status",
         *       "payload": {
         *         "id": "b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1",
         *         "mobile": "918921269000",
         *         "status": "DELIVRD",
         *         "units": 2
         *       }
         *     }
         */
        'application/json': components['schemas']['NewTestCall'];
        'application/x-www-form-urlencoded': components['schemas']['NewTestCall'];
      };
    };
    responses: {
      /** @description OK. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "OK",
           *       "data": {
           *         "id": "0199f3a0-af44-7abc-8def-0123456789ab",
           *         "webhook_id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *         "event": "sms:message:status",
           *         "payload": {
           *           "id": "b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1",
           *           "mobile": "918921269000",
           *           "status": "DELIVRD",
           *           "units": 2
           *         },
           *         "attempt": {
           *           "number": 1,
           *           "kind": "test",
           *           "started_at": "2026-01-15T09:32:08.000000Z",
           *           "request": {
           *             "method": "POST",
           *             "url": "https://example.com/callbacks",
           *             "headers": {
           *               "Content-Type": "application/json",
           *               "Authorization": "Bearer ********",
           *               "Accept-Encoding": "identity",
           *               "X-Ringback-Event": "sms:message:status",
           *               "X-Ringback-Delivery": "0199f3a0-af44-7abc-8def-0123456789ab",
           *               "X-Ringback-Attempt": "1",
           *               "X-Ringback-Event-Id": "0199f3a0-af44-7abc-8def-0123456789ab",
           *               "X-Ringback-Received-At": "2026-01-15T09:32:08.000Z",
           *               "Content-Length": "100",
           *               "Signature": "029805c4c527a7c2d9d0fe7b77e6f88cd2d3e42324593462e95286135fdbc626",
           *               "User-Agent": "Ringback/1.2.3",
           *               "X-Ringback-Test": "true"
           *             },
           *             "body": "{\"id\":\"b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1\",\"mobile\":\"918921269000\",\"status\":\"DELIVRD\",\"units\":2}"
           *           },
           *           "response": {
           *             "code": 200,
           *             "headers": {
           *               "content-type": "text/plain"
           *             },
           *             "body": "thanks"
           *           },
           *           "timings": {
           *             "dns_ms": 1,
           *             "connect_ms": 2,
           *             "tls_ms": 3,
           *             "first_byte_ms": 30,
           *             "total_ms": 42
           *           },
           *           "remote_address": "203.0.113.7",
           *           "error": null,
           *           "error_code": null,
           *           "warnings": []
           *         }
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'OK';
            data: components['schemas']['TestCall'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  previewWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "event": "sms:message:status",
         *       "uri": "https://example.com/callbacks?message={{id}}",
         *       "payload": {
         *         "number": "{{mobile}}",
         *         "parts": "{{units}}",
         *         "order": "{{custom}}"
         *       },
         *       "sample": {
         *         "id": "b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1",
         *         "mobile": "918921269000",
         *         "status": "DELIVRD",
         *         "units": 2
         *       }
         *     }
         */
        'application/json': components['schemas']['NewPreview'];
        'application/x-www-form-urlencoded': components['schemas']['NewPreview'];
      };
    };
    responses: {
      /** @description OK. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "OK",
           *       "data": {
           *         "event": "sms:message:status",
           *         "sample": {
           *           "id": "b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1",
           *           "mobile": "918921269000",
           *           "status": "DELIVRD",
           *           "units": 2
           *         },
           *         "url": "https://example.com/callbacks?message=b34e35ad-fe34-4a8b-977c-b21cd76cd7d6%3A1",
           *         "body": "{\"number\":\"918921269000\",\"parts\":2,\"order\":null}",
           *         "warnings": [
           *           "{{custom}} is unknown"
           *         ]
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'OK';
            data: components['schemas']['Preview'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  listSubscriptions: {
    parameters: {
      query?: {
        /** @description The number of the page. Any other value means page 1. */
        page?: number;
        /** @description Items per page; 15 when absent. */
        per_page?: number;
        /** @description The id of a webhook. */
        'filter[webhook_id]'?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Subscriptions List. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Subscriptions List",
           *       "data": [
           *         {
           *           "id": 1042,
           *           "event": "sms:message:status",
           *           "identity": "all",
           *           "payload": null,
           *           "webhook_id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *           "created_at": "2026-01-15T09:31:00.000000Z"
           *         }
           *       ],
           *       "links": {
           *         "first": "https://ringback.example/api/v2/developer/subscriptions?page=1",
           *         "last": "https://ringback.example/api/v2/developer/subscriptions?page=1",
           *         "prev": null,
           *         "next": null
           *       },
           *       "meta": {
           *         "current_page": 1,
           *         "from": 1,
           *         "last_page": 1,
           *         "links": [
           *           {
           *             "url": null,
           *             "label": "&laquo; Previous",
           *             "active": false
           *           },
           *           {
           *             "url": "https://ringback.example/api/v2/developer/subscriptions?page=1",
           *             "label": "1",
           *             "active": true
           *           },
           *           {
           *             "url": null,
           *             "label": "Next &raquo;",
           *             "active": false
           *           }
           *         ],
           *         "path": "https://ringback.example/api/v2/developer/subscriptions",
           *         "per_page": 15,
           *         "to": 1,
           *         "total": 1
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Subscriptions List';
            data: components['schemas']['Subscription'][];
            links: components['schemas']['PageLinks'];
            meta: components['schemas']['PageMeta'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  createSubscription: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "event": "rcs:message:in",
         *       "identity": "number:1",
         *       "webhook_id": "180ebbb5-9b6f-4c51-a98a-0123456789ab"
         *     }
         */
        'application/json': components['schemas']['NewSubscription'];
        'application/x-www-form-urlencoded': components['schemas']['NewSubscription'];
      };
    };
    responses: {
      /** @description Subscription Saved Successfully. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Subscription Saved Successfully",
           *       "data": {
           *         "id": 1042,
           *         "event": "rcs:message:in",
           *         "identity": "number:1",
           *         "payload": [],
           *         "webhook_id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *         "created_at": "2026-01-15T09:31:00.000000Z"
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Subscription Saved Successfully';
            data: components['schemas']['SavedSubscription'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  showSubscription: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a subscription of the account.
         * @example 1042
         */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Subscription. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Subscription",
           *       "data": {
           *         "id": 1042,
           *         "event": "sms:message:status",
           *         "identity": "all",
           *         "payload": null,
           *         "webhook_id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *         "created_at": "2026-01-15T09:31:00.000000Z"
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Subscription';
            data: components['schemas']['Subscription'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  deleteSubscription: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a subscription of the account.
         * @example 1042
         */
        id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Subscription Deleted successfully. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Subscription Deleted successfully",
           *       "data": []
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Subscription Deleted successfully';
            data: unknown[];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  listDeliveries: {
    parameters: {
      query?: {
        /** @description A value of `next_cursor` or `prev_cursor`; without it the list starts with the newest item. */
        cursor?: string;
        /** @description Items per page; 15 when absent. */
        per_page?: number;
        /** @description The id of a webhook. */
        'filter[webhook_id]'?: string;
        /** @description One or more of `pending`, `delivered`, `failed`, `skipped`, separated by commas. */
        'filter[status]'?: string;
        /** @description `sms:message:status`, `rcs:message:status`, `rcs:message:in`, `webhook:paused`. */
        'filter[event]'?: string;
        /** @description The exact id of a message. */
        'filter[message_id]'?: string;
        /** @description The exact mobile number. */
        'filter[mobile]'?: string;
        /** @description The HTTP status of the newest attempt, 100 to 999. */
        'filter[response_code]'?: string;
        /** @description How the newest attempt failed: `timeout`, `dns`, `tls`, `connect`, `reset`, `refused`, `protocol`, `status`. */
        'filter[error]'?: string;
        /** @description Created at this time or later: a day, or a time, in UTC unless it has an offset. */
        'filter[since]'?: string;
        /** @description Created before this time. */
        'filter[until]'?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "OK",
           *       "data": [
           *         {
           *           "id": "0199f3a0-9e33-7abc-8def-0123456789ab",
           *           "webhook_id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *           "event_id": "0199f3a0-8d22-7abc-8def-0123456789ab",
           *           "state": "delivered",
           *           "reason": null,
           *           "attempt_count": 1,
           *           "event": "sms:message:status",
           *           "message_id": "b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1",
           *           "mobile": "918921269000",
           *           "status": "delivered",
           *           "response_code": 200,
           *           "error": null,
           *           "due_at": null,
           *           "next_attempt_at": null,
           *           "created_at": "2026-01-15T09:32:07.000000Z",
           *           "updated_at": "2026-01-15T09:32:08.000000Z"
           *         }
           *       ],
           *       "links": {
           *         "first": "https://ringback.example/api/v2/developer/deliveries",
           *         "last": null,
           *         "prev": null,
           *         "next": null
           *       },
           *       "meta": {
           *         "path": "https://ringback.example/api/v2/developer/deliveries",
           *         "per_page": 15,
           *         "next_cursor": null,
           *         "prev_cursor": null
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'OK';
            data: components['schemas']['Delivery'][];
            links: components['schemas']['CursorLinks'];
            meta: components['schemas']['CursorMeta'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  showDelivery: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a delivery of the account.
         * @example 0199f3a0-9e33-7abc-8def-0123456789ab
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "OK",
           *       "data": {
           *         "id": "0199f3a0-9e33-7abc-8def-0123456789ab",
           *         "webhook_id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *         "event_id": "0199f3a0-8d22-7abc-8def-0123456789ab",
           *         "state": "delivered",
           *         "reason": null,
           *         "attempt_count": 1,
           *         "event": "sms:message:status",
           *         "message_id": "b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1",
           *         "mobile": "918921269000",
           *         "status": "delivered",
           *         "response_code": 200,
           *         "error": null,
           *         "due_at": null,
           *         "next_attempt_at": null,
           *         "created_at": "2026-01-15T09:32:07.000000Z",
           *         "updated_at": "2026-01-15T09:32:08.000000Z",
           *         "identity": null,
           *         "payload": {
           *           "id": "b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1",
           *           "mobile": "918921269000",
           *           "status": "DELIVRD",
           *           "units": 2
           *         },
           *         "received_at": "2026-01-15T09:32:07.000000Z",
           *         "attempts": [
           *           {
           *             "number": 1,
           *             "kind": "scheduled",
           *             "started_at": "2026-01-15T09:32:08.000000Z",
           *             "request": {
           *               "method": "POST",
           *               "url": "https://example.com/callbacks",
           *               "headers": {
           *                 "Content-Type": "application/json",
           *                 "Authorization": "Bearer ********",
           *                 "Accept-Encoding": "identity",
           *                 "X-Ringback-Event": "sms:message:status",
           *                 "X-Ringback-Delivery": "0199f3a0-9e33-7abc-8def-0123456789ab",
           *                 "X-Ringback-Attempt": "1",
           *                 "X-Ringback-Event-Id": "0199f3a0-8d22-7abc-8def-0123456789ab",
           *                 "X-Ringback-Received-At": "2026-01-15T09:32:07.000Z",
           *                 "Content-Length": "100",
           *                 "Signature": "029805c4c527a7c2d9d0fe7b77e6f88cd2d3e42324593462e95286135fdbc626",
           *                 "User-Agent": "Ringback/1.2.3"
           *               },
           *               "body": "{\"id\":\"b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1\",\"mobile\":\"918921269000\",\"status\":\"DELIVRD\",\"units\":2}"
           *             },
           *             "response": {
           *               "code": 200,
           *               "headers": {
           *                 "content-type": "text/plain"
           *               },
           *               "body": "thanks"
           *             },
           *             "timings": {
           *               "dns_ms": 1,
           *               "connect_ms": 2,
           *               "tls_ms": 3,
           *               "first_byte_ms": 30,
           *               "total_ms": 42
           *             },
           *             "remote_address": "203.0.113.7",
           *             "error": null,
           *             "error_code": null,
           *             "warnings": []
           *           }
           *         ]
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'OK';
            data: components['schemas']['DeliveryDetail'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  getDeliveryCurl: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a delivery of the account.
         * @example 0199f3a0-9e33-7abc-8def-0123456789ab
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "OK",
           *       "data": {
           *         "command": "curl -g -X POST 'https://example.com/callbacks' \\\n  -H 'Content-Type: application/json' \\\n  -H \"Authorization: Bearer $RINGBACK_TOKEN\" \\\n  -H 'Accept-Encoding: identity' \\\n  -H 'X-Ringback-Event: sms:message:status' \\\n  -H 'X-Ringback-Delivery: 0199f3a0-9e33-7abc-8def-0123456789ab' \\\n  -H 'X-Ringback-Attempt: 1' \\\n  -H 'X-Ringback-Event-Id: 0199f3a0-8d22-7abc-8def-0123456789ab' \\\n  -H 'X-Ringback-Received-At: 2026-01-15T09:32:07.000Z' \\\n  -H 'Signature: 029805c4c527a7c2d9d0fe7b77e6f88cd2d3e42324593462e95286135fdbc626' \\\n  -H 'User-Agent: Ringback/1.2.3' \\\n  --data-raw '{\"id\":\"b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1\",\"mobile\":\"918921269000\",\"status\":\"DELIVRD\",\"units\":2}'"
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'OK';
            data: {
              command: string;
            };
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  resendDelivery: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a delivery of the account.
         * @example 0199f3a0-9e33-7abc-8def-0123456789ab
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Resend started. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Resend started",
           *       "data": {
           *         "id": "0199f3a0-9e33-7abc-8def-0123456789ab",
           *         "webhook_id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *         "event_id": "0199f3a0-8d22-7abc-8def-0123456789ab",
           *         "state": "pending",
           *         "reason": null,
           *         "attempt_count": 1,
           *         "event": "sms:message:status",
           *         "message_id": "b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1",
           *         "mobile": "918921269000",
           *         "status": "pending",
           *         "response_code": 200,
           *         "error": null,
           *         "due_at": "2026-01-15T09:40:00.000000Z",
           *         "next_attempt_at": "2026-01-15T09:40:00.000000Z",
           *         "created_at": "2026-01-15T09:32:07.000000Z",
           *         "updated_at": "2026-01-15T09:32:08.000000Z",
           *         "identity": null,
           *         "payload": {
           *           "id": "b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1",
           *           "mobile": "918921269000",
           *           "status": "DELIVRD",
           *           "units": 2
           *         },
           *         "received_at": "2026-01-15T09:32:07.000000Z",
           *         "attempts": [
           *           {
           *             "number": 1,
           *             "kind": "scheduled",
           *             "started_at": "2026-01-15T09:32:08.000000Z",
           *             "request": {
           *               "method": "POST",
           *               "url": "https://example.com/callbacks",
           *               "headers": {
           *                 "Content-Type": "application/json",
           *                 "Authorization": "Bearer ********",
           *                 "Accept-Encoding": "identity",
           *                 "X-Ringback-Event": "sms:message:status",
           *                 "X-Ringback-Delivery": "0199f3a0-9e33-7abc-8def-0123456789ab",
           *                 "X-Ringback-Attempt": "1",
           *                 "X-Ringback-Event-Id": "0199f3a0-8d22-7abc-8def-0123456789ab",
           *                 "X-Ringback-Received-At": "2026-01-15T09:32:07.000Z",
           *                 "Content-Length": "100",
           *                 "Signature": "029805c4c527a7c2d9d0fe7b77e6f88cd2d3e42324593462e95286135fdbc626",
           *                 "User-Agent": "Ringback/1.2.3"
           *               },
           *               "body": "{\"id\":\"b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1\",\"mobile\":\"918921269000\",\"status\":\"DELIVRD\",\"units\":2}"
           *             },
           *             "response": {
           *               "code": 200,
           *               "headers": {
           *                 "content-type": "text/plain"
           *               },
           *               "body": "thanks"
           *             },
           *             "timings": {
           *               "dns_ms": 1,
           *               "connect_ms": 2,
           *               "tls_ms": 3,
           *               "first_byte_ms": 30,
           *               "total_ms": 42
           *             },
           *             "remote_address": "203.0.113.7",
           *             "error": null,
           *             "error_code": null,
           *             "warnings": []
           *           }
           *         ]
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Resend started';
            data: components['schemas']['DeliveryDetail'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  showMessage: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The `payload.id` of its events.
         * @example b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1
         */
        message_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "OK",
           *       "data": {
           *         "message_id": "b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1",
           *         "events": [
           *           {
           *             "id": "0199f3a0-8d22-7abc-8def-0123456789ab",
           *             "event": "sms:message:status",
           *             "identity": null,
           *             "mobile": "918921269000",
           *             "state": "routed",
           *             "status": "routed",
           *             "payload": {
           *               "id": "b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1",
           *               "mobile": "918921269000",
           *               "status": "DELIVRD",
           *               "units": 2
           *             },
           *             "received_at": "2026-01-15T09:32:07.000000Z",
           *             "deliveries": [
           *               {
           *                 "id": "0199f3a0-9e33-7abc-8def-0123456789ab",
           *                 "webhook_id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *                 "event_id": "0199f3a0-8d22-7abc-8def-0123456789ab",
           *                 "state": "delivered",
           *                 "reason": null,
           *                 "attempt_count": 1,
           *                 "event": "sms:message:status",
           *                 "message_id": "b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1",
           *                 "mobile": "918921269000",
           *                 "status": "delivered",
           *                 "response_code": 200,
           *                 "error": null,
           *                 "due_at": null,
           *                 "next_attempt_at": null,
           *                 "created_at": "2026-01-15T09:32:07.000000Z",
           *                 "updated_at": "2026-01-15T09:32:08.000000Z",
           *                 "attempts": [
           *                   {
           *                     "number": 1,
           *                     "kind": "scheduled",
           *                     "started_at": "2026-01-15T09:32:08.000000Z",
           *                     "duration_ms": 42,
           *                     "response_code": 200,
           *                     "error": null
           *                   }
           *                 ]
           *               }
           *             ]
           *           }
           *         ]
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'OK';
            data: components['schemas']['Message'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  startReplay: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a webhook of the account.
         * @example 180ebbb5-9b6f-4c51-a98a-0123456789ab
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "filter": {
         *         "error": "timeout",
         *         "since": "2026-01-15T09:00:00Z"
         *       },
         *       "dry_run": true
         *     }
         */
        'application/json': {
          /** @default {} */
          filter?: {
            /** @description The id of a webhook. */
            webhook_id?: string | number | null;
            /** @description One or more of `pending`, `delivered`, `failed`, `skipped`, separated by commas. */
            status?: string | number | null;
            /**
             * @description `sms:message:status`, `rcs:message:status`, `rcs:message:in`, `webhook:paused`.
             * @enum {string|integer|null}
             */
            event?: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in' | 'webhook:paused' | null;
            /** @description The exact id of a message. */
            message_id?: string | number | null;
            /** @description The exact mobile number. */
            mobile?: string | number | null;
            /** @description The HTTP status of the newest attempt, 100 to 999. */
            response_code?: ((string | number) | (number | string) | null) | string | number;
            /**
             * @description How the newest attempt failed: `timeout`, `dns`, `tls`, `connect`, `reset`, `refused`, `protocol`, `status`.
             * @enum {string|integer|null}
             */
            error?: 'timeout' | 'dns' | 'tls' | 'connect' | 'reset' | 'refused' | 'protocol' | 'status' | null;
            /** @description Created at this time or later: a day, or a time, in UTC unless it has an offset. */
            since?: string | number | null;
            /** @description Created before this time. */
            until?: string | number | null;
          };
          /** @default false */
          dry_run?: boolean;
          /** @default 50 */
          rate?: number;
          _method?: unknown;
        };
        'application/x-www-form-urlencoded': {
          /** @default {} */
          filter?: {
            /** @description The id of a webhook. */
            webhook_id?: string | number | null;
            /** @description One or more of `pending`, `delivered`, `failed`, `skipped`, separated by commas. */
            status?: string | number | null;
            /**
             * @description `sms:message:status`, `rcs:message:status`, `rcs:message:in`, `webhook:paused`.
             * @enum {string|integer|null}
             */
            event?: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in' | 'webhook:paused' | null;
            /** @description The exact id of a message. */
            message_id?: string | number | null;
            /** @description The exact mobile number. */
            mobile?: string | number | null;
            /** @description The HTTP status of the newest attempt, 100 to 999. */
            response_code?: ((string | number) | (number | string) | null) | string | number;
            /**
             * @description How the newest attempt failed: `timeout`, `dns`, `tls`, `connect`, `reset`, `refused`, `protocol`, `status`.
             * @enum {string|integer|null}
             */
            error?: 'timeout' | 'dns' | 'tls' | 'connect' | 'reset' | 'refused' | 'protocol' | 'status' | null;
            /** @description Created at this time or later: a day, or a time, in UTC unless it has an offset. */
            since?: string | number | null;
            /** @description Created before this time. */
            until?: string | number | null;
          };
          /** @default false */
          dry_run?: boolean;
          /** @default 50 */
          rate?: number;
          _method?: unknown;
        };
      };
    };
    responses: {
      /** @description OK; or: Replay started. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "OK",
           *       "data": {
           *         "count": 0,
           *         "complete": true
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @enum {string} */
            message: 'OK' | 'Replay started';
            data: components['schemas']['ReplayCount'] | components['schemas']['Replay'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  listReplays: {
    parameters: {
      query?: {
        /** @description A value of `next_cursor` or `prev_cursor`; without it the list starts with the newest item. */
        cursor?: string;
        /** @description Items per page; 15 when absent. */
        per_page?: number;
        /** @description The id of a webhook. */
        'filter[webhook_id]'?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "OK",
           *       "data": [
           *         {
           *           "id": "0199f3a0-af44-7abc-8def-0123456789ab",
           *           "webhook_id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *           "state": "running",
           *           "status": "running",
           *           "reason": null,
           *           "filter": {
           *             "status": "failed,skipped",
           *             "event": null,
           *             "message_id": null,
           *             "mobile": null,
           *             "response_code": null,
           *             "error": null,
           *             "since": null,
           *             "until": null
           *           },
           *           "rate": 50,
           *           "total": 0,
           *           "replayed": 0,
           *           "created_at": "2026-01-15T09:45:00.000000Z",
           *           "updated_at": "2026-01-15T09:45:00.000000Z",
           *           "finished_at": null
           *         }
           *       ],
           *       "links": {
           *         "first": "https://ringback.example/api/v2/developer/replays",
           *         "last": null,
           *         "prev": null,
           *         "next": null
           *       },
           *       "meta": {
           *         "path": "https://ringback.example/api/v2/developer/replays",
           *         "per_page": 15,
           *         "next_cursor": null,
           *         "prev_cursor": null
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'OK';
            data: components['schemas']['Replay'][];
            links: components['schemas']['CursorLinks'];
            meta: components['schemas']['CursorMeta'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  showReplay: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a replay of the account.
         * @example 0199f3a0-af44-7abc-8def-0123456789ab
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "OK",
           *       "data": {
           *         "id": "0199f3a0-af44-7abc-8def-0123456789ab",
           *         "webhook_id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *         "state": "running",
           *         "status": "running",
           *         "reason": null,
           *         "filter": {
           *           "status": "failed,skipped",
           *           "event": null,
           *           "message_id": null,
           *           "mobile": null,
           *           "response_code": null,
           *           "error": null,
           *           "since": null,
           *           "until": null
           *         },
           *         "rate": 50,
           *         "total": 0,
           *         "replayed": 0,
           *         "created_at": "2026-01-15T09:45:00.000000Z",
           *         "updated_at": "2026-01-15T09:45:00.000000Z",
           *         "finished_at": null
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'OK';
            data: components['schemas']['Replay'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  cancelReplay: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a replay of the account.
         * @example 0199f3a0-af44-7abc-8def-0123456789ab
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Replay cancelled. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Replay cancelled",
           *       "data": {
           *         "id": "0199f3a0-af44-7abc-8def-0123456789ab",
           *         "webhook_id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *         "state": "cancelled",
           *         "status": "cancelled",
           *         "reason": null,
           *         "filter": {
           *           "status": "failed,skipped",
           *           "event": null,
           *           "message_id": null,
           *           "mobile": null,
           *           "response_code": null,
           *           "error": null,
           *           "since": null,
           *           "until": null
           *         },
           *         "rate": 50,
           *         "total": 0,
           *         "replayed": 0,
           *         "created_at": "2026-01-15T09:45:00.000000Z",
           *         "updated_at": "2026-01-15T09:45:00.000000Z",
           *         "finished_at": "2026-01-15T09:46:00.000000Z"
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Replay cancelled';
            data: components['schemas']['Replay'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  listChanges: {
    parameters: {
      query?: {
        /** @description A value of `next_cursor` or `prev_cursor`; without it the list starts with the newest item. */
        cursor?: string;
        /** @description Items per page; 15 when absent. */
        per_page?: number;
        /** @description The id of a webhook, a subscription, a delivery, a replay, a token, a portal session or the account. */
        'filter[object_id]'?: string;
        /** @description The kind of change. */
        'filter[action]'?: string;
        /** @description Made at this time or later: a day, or a time, in UTC unless it has an offset. */
        'filter[since]'?: string;
        /** @description Made before this time. */
        'filter[until]'?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "OK",
           *       "data": [
           *         {
           *           "id": "0199f3a0-d155-7abc-8def-0123456789ab",
           *           "at": "2026-01-15T09:50:00.000000Z",
           *           "actor": "token:5d1f6c1e-8a57-4c0b-9f33-0123456789ab",
           *           "action": "webhook.updated",
           *           "object_type": "webhook",
           *           "object_id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *           "changed": [
           *             {
           *               "field": "name",
           *               "before": "order",
           *               "after": "orders"
           *             },
           *             {
           *               "field": "secret"
           *             }
           *           ]
           *         }
           *       ],
           *       "links": {
           *         "first": "https://ringback.example/api/v2/developer/changes",
           *         "last": null,
           *         "prev": null,
           *         "next": null
           *       },
           *       "meta": {
           *         "path": "https://ringback.example/api/v2/developer/changes",
           *         "per_page": 15,
           *         "next_cursor": null,
           *         "prev_cursor": null
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'OK';
            data: components['schemas']['Change'][];
            links: components['schemas']['CursorLinks'];
            meta: components['schemas']['CursorMeta'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  listTokens: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Access tokens. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Access tokens",
           *       "data": [
           *         {
           *           "id": "0b9f33c1-5d1f-4a57-8c1e-0123456789ab",
           *           "scopes": [
           *             "read",
           *             "write",
           *             "replay"
           *           ],
           *           "created_at": "2026-01-15T09:29:00.000000Z",
           *           "revoked_at": null
           *         },
           *         {
           *           "id": "5d1f6c1e-8a57-4c0b-9f33-0123456789ab",
           *           "scopes": [
           *             "read"
           *           ],
           *           "created_at": "2026-01-15T09:29:00.000000Z",
           *           "revoked_at": null
           *         }
           *       ]
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Access tokens';
            data: components['schemas']['AccessToken'][];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  createToken: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "scopes": [
         *         "read"
         *       ]
         *     }
         */
        'application/json': components['schemas']['NewAccessToken'];
        'application/x-www-form-urlencoded': components['schemas']['NewAccessToken'];
      };
    };
    responses: {
      /** @description Access token created. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Access token created",
           *       "data": {
           *         "id": "5d1f6c1e-8a57-4c0b-9f33-0123456789ab",
           *         "scopes": [
           *           "read"
           *         ],
           *         "created_at": "2026-01-15T09:29:00.000000Z",
           *         "revoked_at": null,
           *         "token": "rb_access_CTFKE8C5iyJgdS7DUv6ySbm9xVhHtJ1a"
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Access token created';
            data: components['schemas']['CreatedAccessToken'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  revokeToken: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of an access token of the account.
         * @example 5d1f6c1e-8a57-4c0b-9f33-0123456789ab
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Access token revoked. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Access token revoked",
           *       "data": []
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Access token revoked';
            data: unknown[];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  openPortalSession: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        /**
         * @example {
         *       "account_id": "a7c1f0e2-5d3b-4f6a-8b9c-0d1e2f3a4b5c",
         *       "scopes": [
         *         "read"
         *       ],
         *       "webhook_ids": [
         *         "180ebbb5-9b6f-4c51-a98a-0123456789ab"
         *       ],
         *       "expires_in": 900,
         *       "actor": "Ann Other",
         *       "mask": true,
         *       "theme": {
         *         "name": "Acme messages",
         *         "accent": "#0a7cff"
         *       },
         *       "return_url": "https://example.com/messages"
         *     }
         */
        'application/json': components['schemas']['NewPortalSession'];
        'application/x-www-form-urlencoded': components['schemas']['NewPortalSession'];
      };
    };
    responses: {
      /** @description Portal session created. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Portal session created",
           *       "data": {
           *         "id": "7c0b9f33-1e8a-4a57-8c1e-0123456789ab",
           *         "url": "http://localhost:3000/portal/#session=rb_portal_CTFKE8C5iyJgdS7DUv6ySbm9xVhHtJ1a",
           *         "expires_at": "2026-01-15T09:45:00.000000Z"
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Portal session created';
            data: components['schemas']['OpenedPortalSession'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  exchangePortalSession: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "session": "rb_portal_CTFKE8C5iyJgdS7DUv6ySbm9xVhHtJ1a"
         *     }
         */
        'application/json': components['schemas']['PortalLink'];
        'application/x-www-form-urlencoded': components['schemas']['PortalLink'];
      };
    };
    responses: {
      /** @description Portal session. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Portal session",
           *       "data": {
           *         "token": "rb_session_K0yfCs4lzUcGn7Qe2XhJwTt1aVb8d5MRpLgZr3oEi6A",
           *         "account": {
           *           "id": "a7c1f0e2-5d3b-4f6a-8b9c-0d1e2f3a4b5c",
           *           "name": "example"
           *         },
           *         "scopes": [
           *           "read"
           *         ],
           *         "webhook_ids": [
           *           "180ebbb5-9b6f-4c51-a98a-0123456789ab"
           *         ],
           *         "actor": "Ann Other",
           *         "mask": true,
           *         "theme": {
           *           "name": "Acme messages",
           *           "accent": "#0a7cff"
           *         },
           *         "return_url": "https://example.com/messages",
           *         "expires_at": "2026-01-15T09:45:00.000000Z"
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Portal session';
            data: components['schemas']['PortalSession'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  endPortalSession: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description The id of a session.
         * @example 7c0b9f33-1e8a-4a57-8c1e-0123456789ab
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Portal session ended. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Portal session ended",
           *       "data": []
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Portal session ended';
            data: unknown[];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  getStatistics: {
    parameters: {
      query?: {
        /**
         * @description The start: a day, or a time, in UTC unless it has an offset. 24 hours before `to` when absent.
         * @example 2026-01-15T09:00:00.000Z
         */
        from?: string;
        /**
         * @description The end, which is not part of the range. Now when absent.
         * @example 2026-01-15T10:00:00.000Z
         */
        to?: string;
        /** @description The length of the buckets, at most 1,500. When absent, the shortest that makes at most 200. Minutes are kept for 7 days. */
        interval?: 'minute' | 'hour' | 'day';
        /** @description Only this event. */
        'filter[event]'?: string;
        /** @description Only these webhooks: up to 100 ids, separated by commas. */
        'filter[webhook_id]'?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Statistics. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Statistics",
           *       "data": {
           *         "from": "2026-01-15T09:00:00.000000Z",
           *         "to": "2026-01-15T10:00:00.000000Z",
           *         "interval": "hour",
           *         "totals": {
           *           "attempts": 3,
           *           "delivered": 2,
           *           "retried": 1,
           *           "failed": 0,
           *           "skipped": 0,
           *           "by_event": {
           *             "sms:message:status": {
           *               "attempts": 3,
           *               "delivered": 2,
           *               "retried": 1,
           *               "failed": 0,
           *               "skipped": 0
           *             }
           *           },
           *           "by_status": {
           *             "200": 2
           *           },
           *           "by_error": {
           *             "timeout": 1
           *           },
           *           "latency_ms": {
           *             "p50": 42.2,
           *             "p90": 3104.2,
           *             "p95": 3104.2,
           *             "p99": 3104.2
           *           }
           *         },
           *         "buckets": [
           *           {
           *             "start": "2026-01-15T09:00:00.000000Z",
           *             "attempts": 3,
           *             "delivered": 2,
           *             "retried": 1,
           *             "failed": 0,
           *             "skipped": 0,
           *             "by_event": {
           *               "sms:message:status": {
           *                 "attempts": 3,
           *                 "delivered": 2,
           *                 "retried": 1,
           *                 "failed": 0,
           *                 "skipped": 0
           *               }
           *             },
           *             "latency_ms": {
           *               "p50": 42.2,
           *               "p95": 3104.2
           *             }
           *           }
           *         ],
           *         "waiting": {
           *           "count": 0,
           *           "is_capped": false,
           *           "retries": 0
           *         },
           *         "webhooks_interval": "hour",
           *         "webhooks": [
           *           {
           *             "id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *             "name": "orders",
           *             "attempts": 3,
           *             "delivered": 2,
           *             "retried": 1,
           *             "failed": 0,
           *             "skipped": 0,
           *             "latency_ms": {
           *               "p50": 42.2,
           *               "p95": 3104.2
           *             },
           *             "buckets": [
           *               {
           *                 "start": "2026-01-15T09:00:00.000000Z",
           *                 "delivered": 2,
           *                 "failed": 0
           *               }
           *             ]
           *           }
           *         ]
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Statistics';
            data: components['schemas']['AccountStatistics'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  getWebhookStatistics: {
    parameters: {
      query?: {
        /**
         * @description The start: a day, or a time, in UTC unless it has an offset. 24 hours before `to` when absent.
         * @example 2026-01-15T09:00:00.000Z
         */
        from?: string;
        /**
         * @description The end, which is not part of the range. Now when absent.
         * @example 2026-01-15T10:00:00.000Z
         */
        to?: string;
        /** @description The length of the buckets, at most 1,500. When absent, the shortest that makes at most 200. Minutes are kept for 7 days. */
        interval?: 'minute' | 'hour' | 'day';
        /** @description Only this event. */
        'filter[event]'?: string;
      };
      header?: never;
      path: {
        /**
         * @description The id of a webhook of the account.
         * @example 180ebbb5-9b6f-4c51-a98a-0123456789ab
         */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Statistics. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "Statistics",
           *       "data": {
           *         "from": "2026-01-15T09:00:00.000000Z",
           *         "to": "2026-01-15T10:00:00.000000Z",
           *         "interval": "hour",
           *         "totals": {
           *           "attempts": 3,
           *           "delivered": 2,
           *           "retried": 1,
           *           "failed": 0,
           *           "skipped": 0,
           *           "by_event": {
           *             "sms:message:status": {
           *               "attempts": 3,
           *               "delivered": 2,
           *               "retried": 1,
           *               "failed": 0,
           *               "skipped": 0
           *             }
           *           },
           *           "by_status": {
           *             "200": 2
           *           },
           *           "by_error": {
           *             "timeout": 1
           *           },
           *           "latency_ms": {
           *             "p50": 42.2,
           *             "p90": 3104.2,
           *             "p95": 3104.2,
           *             "p99": 3104.2
           *           }
           *         },
           *         "buckets": [
           *           {
           *             "start": "2026-01-15T09:00:00.000000Z",
           *             "attempts": 3,
           *             "delivered": 2,
           *             "retried": 1,
           *             "failed": 0,
           *             "skipped": 0,
           *             "by_event": {
           *               "sms:message:status": {
           *                 "attempts": 3,
           *                 "delivered": 2,
           *                 "retried": 1,
           *                 "failed": 0,
           *                 "skipped": 0
           *               }
           *             },
           *             "latency_ms": {
           *               "p50": 42.2,
           *               "p95": 3104.2
           *             }
           *           }
           *         ],
           *         "waiting": {
           *           "count": 0,
           *           "is_capped": false,
           *           "retries": 0
           *         }
           *       }
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'Statistics';
            data: components['schemas']['Statistics'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  listEventKinds: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK. */
      200: {
        headers: {
          /** @description Requests allowed per minute. */
          'X-RateLimit-Limit'?: number;
          /** @description Requests left in this minute. */
          'X-RateLimit-Remaining'?: number;
          /** @description The end of the minute, as Unix time. */
          'X-RateLimit-Reset'?: number;
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "OK",
           *       "data": [
           *         {
           *           "event": "sms:message:status",
           *           "channel": "sms",
           *           "description": "The delivery report of an SMS.",
           *           "schema": {
           *             "$schema": "https://json-schema.org/draft/2020-12/schema",
           *             "type": "object",
           *             "properties": {
           *               "id": {
           *                 "type": [
           *                   "string",
           *                   "integer"
           *                 ],
           *                 "description": "The id of the message; an integer if the platform sent one."
           *               },
           *               "mobile": {
           *                 "description": "The mobile number, with country code.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               },
           *               "status": {
           *                 "description": "The status, such as `DELIVRD`; the list of values is open.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               },
           *               "credits": {
           *                 "description": "The charged credits, a decimal with four places.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               },
           *               "units": {
           *                 "description": "The number of parts of the SMS.",
           *                 "anyOf": [
           *                   {
           *                     "type": "integer",
           *                     "minimum": -9007199254740991,
           *                     "maximum": 9007199254740991
           *                   },
           *                   {
           *                     "type": "null"
           *                   }
           *                 ]
           *               },
           *               "deliv_time": {
           *                 "description": "Time of delivery, `yyyy-mm-dd hh:mm:ss`.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               },
           *               "sent_time": {
           *                 "description": "Time of the request, `yyyy-mm-dd hh:mm:ss`.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               },
           *               "submit_time": {
           *                 "description": "Time of submission to the operator, `yyyy-mm-dd hh:mm:ss`.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               },
           *               "deliv_at": {
           *                 "description": "Time of delivery, Unix seconds.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               },
           *               "sent_at": {
           *                 "description": "Time of the request, Unix seconds.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               },
           *               "submit_at": {
           *                 "description": "Time of submission to the operator, Unix seconds.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               },
           *               "cid": {
           *                 "description": "The id that the caller gave.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               },
           *               "custom": {
           *                 "description": "The id that the caller gave.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               }
           *             },
           *             "required": [
           *               "id"
           *             ],
           *             "additionalProperties": {}
           *           },
           *           "sample": {
           *             "id": "b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1",
           *             "mobile": "918921269000",
           *             "status": "DELIVRD",
           *             "credits": "2.0000",
           *             "units": 2,
           *             "deliv_time": "2026-01-15 09:32:07",
           *             "sent_time": "2026-01-15 09:32:02",
           *             "submit_time": "2026-01-15 09:32:03",
           *             "deliv_at": "1768469527",
           *             "sent_at": "1768469522",
           *             "submit_at": "1768469523",
           *             "cid": "campaign-7",
           *             "custom": "order-1042"
           *           }
           *         },
           *         {
           *           "event": "rcs:message:status",
           *           "channel": "rcs",
           *           "description": "The status of a sent RCS message has changed.",
           *           "schema": {
           *             "$schema": "https://json-schema.org/draft/2020-12/schema",
           *             "type": "object",
           *             "properties": {
           *               "event": {
           *                 "type": "string",
           *                 "const": "rcs:message:status"
           *               },
           *               "payload": {
           *                 "type": "object",
           *                 "properties": {
           *                   "id": {
           *                     "type": [
           *                       "string",
           *                       "integer"
           *                     ],
           *                     "description": "The id of the message; an integer if the platform sent one."
           *                   },
           *                   "channel": {
           *                     "description": "`rcs`.",
           *                     "type": [
           *                       "string",
           *                       "null"
           *                     ]
           *                   },
           *                   "from": {
           *                     "description": "The id of the sender.",
           *                     "type": [
           *                       "string",
           *                       "null"
           *                     ]
           *                   },
           *                   "to": {
           *                     "description": "The mobile number, with country code.",
           *                     "type": [
           *                       "string",
           *                       "null"
           *                     ]
           *                   },
           *                   "status": {
           *                     "description": "`sent`, `delivered`, `read`, `failed` or `deleted`.",
           *                     "type": [
           *                       "string",
           *                       "null"
           *                     ]
           *                   },
           *                   "delivered_at": {
           *                     "description": "Time of delivery, ISO 8601.",
           *                     "type": [
           *                       "string",
           *                       "null"
           *                     ]
           *                   },
           *                   "read_at": {
           *                     "description": "Time of reading, ISO 8601.",
           *                     "type": [
           *                       "string",
           *                       "null"
           *                     ]
           *                   },
           *                   "processed_at": {
           *                     "description": "Time of processing, ISO 8601.",
           *                     "type": [
           *                       "string",
           *                       "null"
           *                     ]
           *                   },
           *                   "submit_time": {
           *                     "description": "Time of submission to the operator, ISO 8601.",
           *                     "type": [
           *                       "string",
           *                       "null"
           *                     ]
           *                   },
           *                   "timestamp": {
           *                     "description": "Time of this status, ISO 8601.",
           *                     "type": [
           *                       "string",
           *                       "null"
           *                     ]
           *                   },
           *                   "foreign_id": {
           *                     "description": "The id that the caller gave.",
           *                     "type": [
           *                       "string",
           *                       "null"
           *                     ]
           *                   }
           *                 },
           *                 "required": [
           *                   "id"
           *                 ],
           *                 "additionalProperties": {}
           *               }
           *             },
           *             "required": [
           *               "event",
           *               "payload"
           *             ],
           *             "additionalProperties": false
           *           },
           *           "sample": {
           *             "event": "rcs:message:status",
           *             "payload": {
           *               "id": "b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1",
           *               "channel": "rcs",
           *               "from": "ringback_agent",
           *               "to": "918921269000",
           *               "status": "read",
           *               "delivered_at": "2026-01-15T09:32:05.000Z",
           *               "read_at": "2026-01-15T09:32:07.000Z",
           *               "processed_at": "2026-01-15T09:32:03.000Z",
           *               "timestamp": "2026-01-15T09:32:07.000Z",
           *               "foreign_id": "order-1042"
           *             }
           *           }
           *         },
           *         {
           *           "event": "rcs:message:in",
           *           "channel": "rcs",
           *           "description": "An RCS message was received.",
           *           "schema": {
           *             "$schema": "https://json-schema.org/draft/2020-12/schema",
           *             "type": "object",
           *             "properties": {
           *               "event": {
           *                 "type": "string",
           *                 "const": "rcs:message:in"
           *               },
           *               "payload": {
           *                 "type": "object",
           *                 "properties": {
           *                   "id": {
           *                     "type": [
           *                       "string",
           *                       "integer"
           *                     ],
           *                     "description": "The id of the message; an integer if the platform sent one."
           *                   },
           *                   "channels": {
           *                     "description": "Objects with `name` (`rcs`) and `to`, the number that the message was sent to."
           *                   },
           *                   "recipient": {
           *                     "description": "`from`, the number of the sender, and `user`, the data of the sender."
           *                   },
           *                   "message": {
           *                     "description": "`type` and `payload`. The payload of a `text` has `text`; of an `image` it has `url`, `caption` and `filename`."
           *                   }
           *                 },
           *                 "required": [
           *                   "id",
           *                   "channels",
           *                   "recipient",
           *                   "message"
           *                 ],
           *                 "additionalProperties": {}
           *               }
           *             },
           *             "required": [
           *               "event",
           *               "payload"
           *             ],
           *             "additionalProperties": false
           *           },
           *           "sample": {
           *             "event": "rcs:message:in",
           *             "payload": {
           *               "id": "b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1",
           *               "channels": [
           *                 {
           *                   "name": "rcs",
           *                   "to": "918921260001"
           *                 }
           *               ],
           *               "recipient": {
           *                 "from": "918921269000",
           *                 "user": {
           *                   "id": "41",
           *                   "identifier_id": "7",
           *                   "subscriber_id": "99",
           *                   "identity": "918921269000",
           *                   "username": "asha",
           *                   "first_name": "Asha",
           *                   "middle_name": "",
           *                   "last_name": "Nair",
           *                   "email": "asha@example.com",
           *                   "phone": "918921269000",
           *                   "attributes": "",
           *                   "user_info": {
           *                     "picture": "",
           *                     "gender": "",
           *                     "title": ""
           *                   }
           *                 }
           *               },
           *               "message": {
           *                 "type": "text",
           *                 "payload": {
           *                   "text": "Yes, tomorrow at ten suits me."
           *                 }
           *               }
           *             }
           *           }
           *         },
           *         {
           *           "event": "webhook:paused",
           *           "channel": "sms",
           *           "description": "Ringback has paused a webhook of the account. The event is delivered by the SMS rules.",
           *           "schema": {
           *             "$schema": "https://json-schema.org/draft/2020-12/schema",
           *             "type": "object",
           *             "properties": {
           *               "event": {
           *                 "type": "string",
           *                 "const": "webhook:paused"
           *               },
           *               "payload": {
           *                 "type": "object",
           *                 "properties": {
           *                   "webhook_id": {
           *                     "type": "string"
           *                   },
           *                   "name": {
           *                     "type": "string",
           *                     "description": "The name of the webhook."
           *                   },
           *                   "reason": {
           *                     "type": "string",
           *                     "enum": [
           *                       "failing",
           *                       "gone"
           *                     ],
           *                     "description": "`failing`: all its callbacks failed for a long time. `gone`: it answered 410."
           *                   },
           *                   "failing_since": {
           *                     "type": "string",
           *                     "description": "The time of the first failure, ISO 8601."
           *                   },
           *                   "paused_at": {
           *                     "type": "string",
           *                     "description": "The time of the pause, ISO 8601."
           *                   }
           *                 },
           *                 "required": [
           *                   "webhook_id",
           *                   "name",
           *                   "reason",
           *                   "failing_since",
           *                   "paused_at"
           *                 ],
           *                 "additionalProperties": {}
           *               }
           *             },
           *             "required": [
           *               "event",
           *               "payload"
           *             ],
           *             "additionalProperties": false
           *           },
           *           "sample": {
           *             "event": "webhook:paused",
           *             "payload": {
           *               "webhook_id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
           *               "name": "orders",
           *               "reason": "failing",
           *               "failing_since": "2026-01-10T09:32:07.000Z",
           *               "paused_at": "2026-01-15T09:32:07.000Z"
           *             }
           *           }
           *         }
           *       ]
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'OK';
            data: components['schemas']['EventKind'][];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  pushEvents: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "event": "sms:message:status",
         *       "account_id": "a7c1f0e2-5d3b-4f6a-8b9c-0d1e2f3a4b5c",
         *       "webhook_id": "180ebbb5-9b6f-4c51-a98a-0123456789ab",
         *       "payload": {
         *         "id": "b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1",
         *         "mobile": "918921269000",
         *         "status": "DELIVRD",
         *         "credits": "2.0000",
         *         "units": 2,
         *         "deliv_time": "2026-01-15 09:32:07",
         *         "deliv_at": "1768469527",
         *         "custom": "order-1042"
         *       }
         *     }
         */
        'application/json': components['schemas']['Event'] | components['schemas']['Event'][];
      };
    };
    responses: {
      /** @description Accepted. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 202,
           *       "message": "Accepted",
           *       "data": [
           *         {
           *           "id": "0199f3a0-8d22-7abc-8def-0123456789ab"
           *         }
           *       ]
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 202;
            /** @constant */
            message: 'Accepted';
            data: {
              /** Format: uuid */
              id: string;
            }[];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  getDocument: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get this document */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': Record<string, never>;
        };
      };
      400: components['responses']['BadRequest'];
      500: components['responses']['ServerError'];
      508: components['responses']['LoopDetected'];
    };
  };
  getDocs: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Show this document as a page */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      400: components['responses']['BadRequest'];
      500: components['responses']['ServerError'];
      508: components['responses']['LoopDetected'];
    };
  };
  getHealth: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "OK",
           *       "data": []
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @constant */
            message: 'OK';
            data: unknown[];
          };
        };
      };
      400: components['responses']['BadRequest'];
      500: components['responses']['ServerError'];
      508: components['responses']['LoopDetected'];
    };
  };
  getReadiness: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OK; or: Degraded: the queue does not answer. Test calls are refused, all other calls are served.. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "status": "OK",
           *       "code": 200,
           *       "message": "OK",
           *       "data": []
           *     }
           */
          'application/json': {
            /** @constant */
            status: 'OK';
            /** @constant */
            code: 200;
            /** @enum {string} */
            message: 'OK' | 'Degraded: the queue does not answer. Test calls are refused, all other calls are served.';
            data: unknown[];
          };
        };
      };
      400: components['responses']['BadRequest'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
      508: components['responses']['LoopDetected'];
    };
  };
  getMetrics: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Get the metrics of this process, for Prometheus */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/plain': string;
        };
      };
      400: components['responses']['BadRequest'];
      500: components['responses']['ServerError'];
      508: components['responses']['LoopDetected'];
    };
  };
}
