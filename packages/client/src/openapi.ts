/* eslint-disable max-lines */
// Made from the API's document by `node scripts/client-types.mjs`; a test says when it has to be made again.
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
     * @description Newest first, those that are not deleted. A filter that does not exist is a 400.
     */
    get: operations['listWebhooks'];
    put?: never;
    /**
     * Create a webhook
     * @description With a `token`, a verification challenge is sent to the address; creation does not wait for it. With placeholders in the `uri` or with a `payload` the webhook is composed.
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
     * @description Here, and only here, `status` is a number.
     */
    get: operations['showWebhook'];
    /**
     * Edit a webhook
     * @description Retries that are still to come use the webhook as it is then. What is left out keeps its value.
     */
    put: operations['editWebhook'];
    post?: never;
    /**
     * Delete a webhook
     * @description It is not called any more, and can be restored.
     */
    delete: operations['deleteWebhook'];
    options?: never;
    head?: never;
    /**
     * Edit a webhook, by PATCH
     * @description The same as PUT.
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
     * @description It is active afterwards, whatever it was. 422 when the account has as many webhooks as it may.
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
     * @description Where the service pauses webhooks that fail for long or answer 410, `paused` tells so, and `webhook:paused` comes to whoever is subscribed to it. What waits is called within seconds of the release, each with the attempts that it has left. A webhook that is not paused stays as it is.
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
     * @description That of the newest run; 404 when there never was one.
     */
    get: operations['showVerification'];
    put?: never;
    /**
     * Send the verification challenge again
     * @description A webhook that was created without a `token` cannot be challenged: 422. 409 when no key of the operator opens it.
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
     * @description The key of `webhook-signature`, the signature of Standard Webhooks. Every webhook has one of its own from its creation; one that is older than this signature gets it when this is first asked, and signs from then on. 409 when no key of the operator opens it.
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
     * @description For 24 hours callbacks carry a signature with each of the two secrets, the new one first. A second rotation within that time ends the oldest secret at once.
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
     * Call a webhook for a test
     * @description A worker calls the webhook at once, with a sample of the event or with the `payload` of the request, as it would for an event, but once and with `X-Ringback-Test: true`. The answer has the attempt in full, whether it was successful or not (`attempt.error`). A webhook that is inactive is called, too. Nothing of this is in the delivery log. 409 when unverified webhooks are not called here; 503 when no worker is there in time, which then sends nothing.
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
     * Fill in templates
     * @description `uri` and `payload` as a webhook would have them, filled in from a sample of the event or from the payload in `sample`. Nothing is stored and nothing is sent.
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
     */
    get: operations['listSubscriptions'];
    put?: never;
    /**
     * Subscribe a webhook to an event
     * @description The same again answers with the subscription that stands. An event may have at most 1,000 of an account for the same identity.
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
    /** Show a subscription */
    get: operations['showSubscription'];
    put?: never;
    post?: never;
    /** Delete a subscription */
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
     * @description Newest first. Filters hold together; an empty one is none, one that does not exist is a 400. A page may have fewer deliveries than `per_page` although there is a next one.
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
     * @description With its event, and its attempts as they went over the wire.
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
     * @description For a POSIX shell; the token is taken from `RINGBACK_TOKEN`. 409 when the request was not kept.
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
     * @description One that is final gets one more attempt, without retries; one that is pending gets its next attempt now. 409 when the webhook is inactive or deleted.
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
     * @description Its first 200 events, their deliveries and the attempts of those, each oldest first.
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
     * @description Those that the filter fits, oldest first; without `filter.status` those that failed or were skipped. With `dry_run` they are counted only. 409 when the webhook is inactive, or a replay of it is running.
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
     * @description Newest first. Another filter than `webhook_id` is a 400.
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
    /** Show how far a replay is */
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
     * @description What it has made pending is still called. 409 when it is done.
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
     * @description Who did what, when: every change of the account, newest first, made over the API or by an operator. Filters hold together; an empty one is none, one that does not exist is a 400. Secrets, tokens, templates and queries of uris are not shown: a `uri` whose query alone was changed looks the same before and after.
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
  '/developer/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the kinds of events
     * @description With the JSON Schema of the body of their callbacks, and a sample. Fields may be absent, and others may come.
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
     * @description For SMS and RCS platforms without a BullMQ client: one event, or an array of up to 1,000. The answer comes once they are durable, with an id for each in its order. `account_id` may be absent when `webhook_id` is given. The same event again makes nothing new, and completes what a 503 has left undone. One that is malformed refuses the whole batch; one that names an unknown account or webhook is kept as rejected.
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
    /** This document */
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
    /** This document as a page */
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
    /** Whether the process answers */
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
     * Whether the database answers, too
     * @description The message says when the queue does not: only test calls need it.
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
    /** What the process tells of itself, for Prometheus */
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
      /** @description As it was given, placeholders and all. */
      uri: string;
      /** @description Sent as Bearer in callbacks; when null, the callback token of the account is. */
      secret: string | null;
      /** @description The `token` of the creation. */
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
      /** @description The body template; present when there is one. */
      payload?: Record<string, never>;
      /**
       * @description Present when callbacks are not signed.
       * @constant
       */
      signing?: false;
      /** @description Callbacks a second at most; present when there is a limit. */
      rate_limit?: number;
      /** @description Present while it is paused: what is for it waits until it is released. */
      paused?: {
        /** Format: date-time */
        since: string;
        /**
         * @description It failed for long without a success, or answered 410.
         * @enum {string}
         */
        reason: 'failing' | 'gone';
      };
      /**
       * Format: date-time
       * @description Present when it is deleted.
       */
      deleted_at?: string;
      /** @description The fields that are null because no key of the operator opens their stored value; present when there are any. */
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
        /** @description The number of a page, `...` for a gap, or one of two texts with HTML entities. */
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
      /** @description Absolute, http or https; placeholders may stand in values of its query. */
      uri: string;
      /** @description The body template. Null on an edit: none. */
      payload?: Record<string, never> | null;
      /** @description 1 active, 0 inactive; 1 when absent, on an edit unchanged. */
      status?: (0 | 1 | '0' | '1') | null;
      /** @description Sent as Bearer in callbacks. Empty or null: none. */
      secret?: (string & (unknown & unknown)) | null;
      /** @description Whether callbacks carry `Signature` and `webhook-signature`; true when absent, on an edit unchanged. */
      signing?: boolean;
      /** @description Callbacks a second at most. Null: no limit. On an edit, absent is unchanged. */
      rate_limit?: number | null;
      /** @description The code of the verification challenge. */
      token?: (string & (unknown & unknown)) | null;
    };
    ShownWebhook: {
      /** Format: uuid */
      id: string;
      name: string;
      /** @description As it was given, placeholders and all. */
      uri: string;
      /** @description Sent as Bearer in callbacks; when null, the callback token of the account is. */
      secret: string | null;
      /** @description The `token` of the creation. */
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
      /** @description The body template; present when there is one. */
      payload?: Record<string, never>;
      /**
       * @description Present when callbacks are not signed.
       * @constant
       */
      signing?: false;
      /** @description Callbacks a second at most; present when there is a limit. */
      rate_limit?: number;
      /** @description Present while it is paused: what is for it waits until it is released. */
      paused?: {
        /** Format: date-time */
        since: string;
        /**
         * @description It failed for long without a success, or answered 410.
         * @enum {string}
         */
        reason: 'failing' | 'gone';
      };
      /**
       * Format: date-time
       * @description Present when it is deleted.
       */
      deleted_at?: string;
      /** @description The fields that are null because no key of the operator opens their stored value; present when there are any. */
      unreadable?: ('secret' | 'verification_code')[];
    };
    WebhookChanges: {
      /** @description 1 to 255 characters after trimming. */
      name: string;
      /** @description Absolute, http or https; placeholders may stand in values of its query. */
      uri: string;
      /** @description The body template. Null on an edit: none. */
      payload?: Record<string, never> | null;
      /** @description 1 active, 0 inactive; 1 when absent, on an edit unchanged. */
      status?: (0 | 1 | '0' | '1') | null;
      /** @description Sent as Bearer in callbacks. Empty or null: none. */
      secret?: (string & (unknown & unknown)) | null;
      /** @description Whether callbacks carry `Signature` and `webhook-signature`; true when absent, on an edit unchanged. */
      signing?: boolean;
      /** @description Callbacks a second at most. Null: no limit. On an edit, absent is unchanged. */
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
      /** @description `whsec_` and the key in base64, as libraries of Standard Webhooks take it. */
      secret: string;
      /** @description Until when callbacks carry a signature with the secret before it, too. Null when they do not. */
      previous_signs_until: string | null;
    };
    NewTestCall: {
      /** @enum {string} */
      event: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in' | 'webhook:paused';
      /** @description As a platform would push it; a sample when absent. */
      payload?: Record<string, never> | string | null;
    };
    TestCall: {
      /**
       * Format: uuid
       * @description The `X-Ringback-Delivery` of the call, which is in no log.
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
      /** @description `scheduled`, `resend` when somebody asked for it, `test` of a test call. */
      kind: string;
      /** Format: date-time */
      started_at: string;
      /** @description As it went over the wire, the token masked. Headers and body are null where they were not kept. */
      request: {
        /** @constant */
        method: 'POST';
        url: string;
        headers: {
          [key: string]: string;
        } | null;
        body: string | null;
      };
      /** @description Null when no answer came. */
      response: {
        code: number | null;
        headers: Record<string, never> | null;
        /** @description The first KiB. */
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
      /** @description How the attempt failed; null when it did not. */
      error: ('timeout' | 'dns' | 'tls' | 'connect' | 'reset' | 'refused' | 'protocol' | 'status') | null;
      error_code: string | null;
      warnings: string[];
    };
    NewPreview: {
      /** @enum {string} */
      event: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in' | 'webhook:paused';
      /** @description Absolute, http or https; placeholders may stand in values of its query. */
      uri?: string;
      /** @description The body template. Null on an edit: none. */
      payload?: Record<string, never> | null;
      /** @description The payload of an event; a sample when absent. */
      sample?: Record<string, never> | string | null;
    };
    Preview: {
      /** @enum {string} */
      event: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in' | 'webhook:paused';
      /** @description The payload that the placeholders were filled in from. */
      sample: Record<string, never>;
      /** @description Null when the request had no `uri`. */
      url: string | null;
      /** @description Byte for byte as it would be sent. */
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
      /** @description `all` when absent, empty or null. */
      identity?: string | null;
      /** @description A live webhook of the account. */
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
      /** @description Why it was skipped or given up. */
      reason: string | null;
      attempt_count: number;
      /** @description The status that came back; null when none did. */
      response_code: number | null;
      /** @description How the attempt failed; null when it did not. */
      error: ('timeout' | 'dns' | 'tls' | 'connect' | 'reset' | 'refused' | 'protocol' | 'status') | null;
      /** @description When its next attempt is due. Null once it is final, and while its webhook is paused. */
      due_at: string | null;
      /** @description The same as `due_at`. */
      next_attempt_at: string | null;
      /**
       * @description Present while it waits for its webhook to be released.
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
      /** @description Why it was skipped or given up. */
      reason: string | null;
      attempt_count: number;
      /** @description The status that came back; null when none did. */
      response_code: number | null;
      /** @description How the attempt failed; null when it did not. */
      error: ('timeout' | 'dns' | 'tls' | 'connect' | 'reset' | 'refused' | 'protocol' | 'status') | null;
      /** @description When its next attempt is due. Null once it is final, and while its webhook is paused. */
      due_at: string | null;
      /** @description The same as `due_at`. */
      next_attempt_at: string | null;
      /**
       * @description Present while it waits for its webhook to be released.
       * @constant
       */
      paused?: true;
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      updated_at: string;
      identity: string | null;
      /** @description As the platform sent it. */
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
      /** @description As the platform sent it. */
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
      /** @description Why it was skipped or given up. */
      reason: string | null;
      attempt_count: number;
      /** @description The status that came back; null when none did. */
      response_code: number | null;
      /** @description How the attempt failed; null when it did not. */
      error: ('timeout' | 'dns' | 'tls' | 'connect' | 'reset' | 'refused' | 'protocol' | 'status') | null;
      /** @description When its next attempt is due. Null once it is final, and while its webhook is paused. */
      due_at: string | null;
      /** @description The same as `due_at`. */
      next_attempt_at: string | null;
      /**
       * @description Present while it waits for its webhook to be released.
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
      /** @description `scheduled`, `resend` when somebody asked for it, `test` of a test call. */
      kind: string;
      /** Format: date-time */
      started_at: string;
      duration_ms: number;
      /** @description The status that came back; null when none did. */
      response_code: number | null;
      /** @description How the attempt failed; null when it did not. */
      error: ('timeout' | 'dns' | 'tls' | 'connect' | 'reset' | 'refused' | 'protocol' | 'status') | null;
    };
    ReplayCount: {
      count: number;
      /** @description False when there are more than could be counted. */
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
      /** @description Why it was cancelled, when nobody asked for that. */
      reason: string | null;
      /** @description As it was understood. */
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
      /** @description Deliveries a second at most. */
      rate: number;
      /** @description How many it found at its start; null when they were too many to count. */
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
      /** @description `token:` and the id of an access token, or `operator`: whoever runs the service. */
      actor: string;
      /** @enum {string} */
      action:
        | 'account.created'
        | 'token.created'
        | 'token.revoked'
        | 'platform_token.created'
        | 'platform_token.revoked'
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
      object_type: 'account' | 'token' | 'webhook' | 'subscription' | 'delivery' | 'replay';
      object_id: string;
      /** @description Fields that have another value now. `before` and `after` are left out where they would tell a secret. */
      changed: {
        field: string;
        before?: string | number | boolean | null;
        after?: string | number | boolean | null;
      }[];
    };
    EventKind: {
      /** @enum {string} */
      event: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in' | 'webhook:paused';
      /** @enum {string} */
      channel: 'sms' | 'rcs';
      description: string;
      /** @description JSON Schema of the body of a callback, without template. */
      schema: Record<string, never>;
      /** @description Such a body. */
      sample: Record<string, never>;
    };
    Event: {
      /** @enum {string} */
      event: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in';
      account_id?: string | null;
      webhook_id?: string | null;
      /** @description Empty and null: absent. */
      identity?: string | null;
      /** @description Empty and null: absent. */
      event_id?: string | null;
      /** @description An object, or the JSON text of one, which is sent as it is. */
      payload:
        | ({
            /** @description Of an integer, its decimal digits are the id of the message. */
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
      /** @description What is wrong with each field. */
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
    /** @description There is no token, or one that does not count here. */
    Unauthenticated: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Unauthenticated'];
      };
    };
    /** @description The token lacks the scope of the operation. */
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
    /** @description The body is neither `application/json` nor, where one is taken, a form. */
    UnsupportedMediaType: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['UnsupportedMediaType'];
      };
    };
    /** @description What was sent is not valid; `errors` says what, field by field. */
    ValidationError: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ValidationError'];
      };
    };
    /** @description Too many requests in this minute, or too many under way at once; `Retry-After` says when to come back. */
    TooManyRequests: {
      headers: {
        /** @description In how many seconds to try again. */
        'Retry-After'?: number;
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['TooManyRequests'];
      };
    };
    /** @description A defect of ours. */
    ServerError: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ServerError'];
      };
    };
    /** @description The database or the queue is away, or a list took longer than 2 s and was cancelled; try again later. */
    ServiceUnavailable: {
      headers: {
        /** @description In how many seconds to try again. */
        'Retry-After'?: number;
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['ServiceUnavailable'];
      };
    };
    /** @description The request is a callback of Ringback: a webhook points back at it. */
    LoopDetected: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['LoopDetected'];
      };
    };
    /** @description There is no such thing, or it is not the account’s. */
    NotFound: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['NotFound'];
      };
    };
    /** @description It cannot be done in this state. */
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
        /** @description The number of the page; anything else is page 1. */
        page?: number;
        /** @description How many on a page; 15 when absent. */
        per_page?: number;
        /** @description Contained in the name, in any case; a comma means or. At most 20 alternatives of 255 characters. */
        'filter[name]'?: string;
        /** @description Shows deleted webhooks too, or only those. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
            /** @description What the templates can hardly be meant to do; present when there is anything. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
            /** @description What the templates can hardly be meant to do; present when there is anything. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
            /** @description What the templates can hardly be meant to do; present when there is anything. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
        /** @description The number of the page; anything else is page 1. */
        page?: number;
        /** @description How many on a page; 15 when absent. */
        per_page?: number;
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
        /** @description A place that `next_cursor` or `prev_cursor` named; the newest when absent. */
        cursor?: string;
        /** @description How many on a page; 15 when absent. */
        per_page?: number;
        /** @description The id of a webhook. */
        'filter[webhook_id]'?: string;
        /** @description One or more of `pending`, `delivered`, `failed`, `skipped`, with commas. */
        'filter[status]'?: string;
        /** @description `sms:message:status`, `rcs:message:status`, `rcs:message:in`, `webhook:paused`. */
        'filter[event]'?: string;
        /** @description The whole id of a message. */
        'filter[message_id]'?: string;
        /** @description The whole number. */
        'filter[mobile]'?: string;
        /** @description The status that the newest attempt was answered with, 100 to 999. */
        'filter[response_code]'?: string;
        /** @description How the newest attempt failed: `timeout`, `dns`, `tls`, `connect`, `reset`, `refused`, `protocol`, `status`. */
        'filter[error]'?: string;
        /** @description Made at this time or later: a day, or a time, UTC without an offset. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
           *           "event": "sms:message:status",
           *           "message_id": "b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1",
           *           "mobile": "918921269000",
           *           "state": "delivered",
           *           "status": "delivered",
           *           "reason": null,
           *           "attempt_count": 1,
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
           *         "event": "sms:message:status",
           *         "message_id": "b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1",
           *         "mobile": "918921269000",
           *         "state": "delivered",
           *         "status": "delivered",
           *         "reason": null,
           *         "attempt_count": 1,
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
           *         "event": "sms:message:status",
           *         "message_id": "b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1",
           *         "mobile": "918921269000",
           *         "state": "pending",
           *         "status": "pending",
           *         "reason": null,
           *         "attempt_count": 1,
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
           *                 "event": "sms:message:status",
           *                 "message_id": "b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1",
           *                 "mobile": "918921269000",
           *                 "state": "delivered",
           *                 "status": "delivered",
           *                 "reason": null,
           *                 "attempt_count": 1,
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
    requestBody: {
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
            /** @description One or more of `pending`, `delivered`, `failed`, `skipped`, with commas. */
            status?: string | number | null;
            /**
             * @description `sms:message:status`, `rcs:message:status`, `rcs:message:in`, `webhook:paused`.
             * @enum {string|integer|null}
             */
            event?: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in' | 'webhook:paused' | null;
            /** @description The whole id of a message. */
            message_id?: string | number | null;
            /** @description The whole number. */
            mobile?: string | number | null;
            /** @description The status that the newest attempt was answered with, 100 to 999. */
            response_code?: ((string | number) | (number | string) | null) | string | number;
            /**
             * @description How the newest attempt failed: `timeout`, `dns`, `tls`, `connect`, `reset`, `refused`, `protocol`, `status`.
             * @enum {string|integer|null}
             */
            error?: 'timeout' | 'dns' | 'tls' | 'connect' | 'reset' | 'refused' | 'protocol' | 'status' | null;
            /** @description Made at this time or later: a day, or a time, UTC without an offset. */
            since?: string | number | null;
            /** @description Made before this time. */
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
            /** @description One or more of `pending`, `delivered`, `failed`, `skipped`, with commas. */
            status?: string | number | null;
            /**
             * @description `sms:message:status`, `rcs:message:status`, `rcs:message:in`, `webhook:paused`.
             * @enum {string|integer|null}
             */
            event?: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in' | 'webhook:paused' | null;
            /** @description The whole id of a message. */
            message_id?: string | number | null;
            /** @description The whole number. */
            mobile?: string | number | null;
            /** @description The status that the newest attempt was answered with, 100 to 999. */
            response_code?: ((string | number) | (number | string) | null) | string | number;
            /**
             * @description How the newest attempt failed: `timeout`, `dns`, `tls`, `connect`, `reset`, `refused`, `protocol`, `status`.
             * @enum {string|integer|null}
             */
            error?: 'timeout' | 'dns' | 'tls' | 'connect' | 'reset' | 'refused' | 'protocol' | 'status' | null;
            /** @description Made at this time or later: a day, or a time, UTC without an offset. */
            since?: string | number | null;
            /** @description Made before this time. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
        /** @description A place that `next_cursor` or `prev_cursor` named; the newest when absent. */
        cursor?: string;
        /** @description How many on a page; 15 when absent. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
        /** @description A place that `next_cursor` or `prev_cursor` named; the newest when absent. */
        cursor?: string;
        /** @description How many on a page; 15 when absent. */
        per_page?: number;
        /** @description The id of a webhook, a subscription, a delivery, a replay, a token or the account. */
        'filter[object_id]'?: string;
        /** @description What was done. */
        'filter[action]'?: string;
        /** @description Made at this time or later: a day, or a time, UTC without an offset. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
          /** @description Requests a minute. */
          'X-RateLimit-Limit'?: number;
          /** @description How many are left. */
          'X-RateLimit-Remaining'?: number;
          /** @description When the minute ends, as Unix time. */
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
           *           "description": "An SMS has a delivery report.",
           *           "schema": {
           *             "$schema": "https://json-schema.org/draft/2020-12/schema",
           *             "type": "object",
           *             "properties": {
           *               "id": {
           *                 "type": [
           *                   "string",
           *                   "integer"
           *                 ],
           *                 "description": "The id of the message, an integer where the platform sent one."
           *               },
           *               "mobile": {
           *                 "description": "The number, with country code.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               },
           *               "status": {
           *                 "description": "An open list; `DELIVRD` is delivered.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               },
           *               "credits": {
           *                 "description": "Credits charged, a decimal with four places.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               },
           *               "units": {
           *                 "description": "How many parts the SMS has.",
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
           *                 "description": "Delivery, `yyyy-mm-dd hh:mm:ss`.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               },
           *               "sent_time": {
           *                 "description": "When the request was received, `yyyy-mm-dd hh:mm:ss`.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               },
           *               "submit_time": {
           *                 "description": "When it went to the operator, `yyyy-mm-dd hh:mm:ss`.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               },
           *               "deliv_at": {
           *                 "description": "Delivery, Unix seconds.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               },
           *               "sent_at": {
           *                 "description": "When the request was received, Unix seconds.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               },
           *               "submit_at": {
           *                 "description": "When it went to the operator, Unix seconds.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               },
           *               "cid": {
           *                 "description": "An id of yours.",
           *                 "type": [
           *                   "string",
           *                   "null"
           *                 ]
           *               },
           *               "custom": {
           *                 "description": "An id of yours.",
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
           *           "description": "The status of an RCS message that was sent has changed.",
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
           *                     "description": "The id of the message, an integer where the platform sent one."
           *                   },
           *                   "channel": {
           *                     "description": "`rcs`.",
           *                     "type": [
           *                       "string",
           *                       "null"
           *                     ]
           *                   },
           *                   "from": {
           *                     "description": "The sender.",
           *                     "type": [
           *                       "string",
           *                       "null"
           *                     ]
           *                   },
           *                   "to": {
           *                     "description": "The number, with country code.",
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
           *                     "description": "When it reached the handset, ISO 8601.",
           *                     "type": [
           *                       "string",
           *                       "null"
           *                     ]
           *                   },
           *                   "read_at": {
           *                     "description": "When it was read, ISO 8601.",
           *                     "type": [
           *                       "string",
           *                       "null"
           *                     ]
           *                   },
           *                   "processed_at": {
           *                     "description": "When it was processed, ISO 8601.",
           *                     "type": [
           *                       "string",
           *                       "null"
           *                     ]
           *                   },
           *                   "submit_time": {
           *                     "description": "When it went to the operator, ISO 8601.",
           *                     "type": [
           *                       "string",
           *                       "null"
           *                     ]
           *                   },
           *                   "timestamp": {
           *                     "description": "Of this status, ISO 8601.",
           *                     "type": [
           *                       "string",
           *                       "null"
           *                     ]
           *                   },
           *                   "foreign_id": {
           *                     "description": "An id of yours.",
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
           *           "description": "An RCS message came in.",
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
           *                     "description": "The id of the message, an integer where the platform sent one."
           *                   },
           *                   "channels": {
           *                     "description": "Each with `name` (`rcs`) and `to`, the number that it was sent to."
           *                   },
           *                   "recipient": {
           *                     "description": "`from`, the number that it came from, and `user`, who that is."
           *                   },
           *                   "message": {
           *                     "description": "`type` and `payload`: of `text` its `text`, of `image` its `url`, `caption` and `filename`."
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
           *           "description": "A webhook of the account was paused. Ringback reports it; it goes by the rules of SMS.",
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
           *                     "description": "It failed for long without a success, or answered 410."
           *                   },
           *                   "failing_since": {
           *                     "type": "string",
           *                     "description": "Since when it failed, ISO 8601."
           *                   },
           *                   "paused_at": {
           *                     "type": "string",
           *                     "description": "ISO 8601."
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
      /** @description This document */
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
      /** @description This document as a page */
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
      /** @description What the process tells of itself, for Prometheus */
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
