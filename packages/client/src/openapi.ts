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
    patch?: never;
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
     * @description It is active afterwards, whatever it was.
     */
    post: operations['restoreWebhook'];
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
     * @description A webhook that was created without a `token` cannot be challenged: 422.
     */
    post: operations['startVerification'];
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
     * @description The same again answers with the subscription that stands.
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
     * @description For SMS and RCS platforms without a BullMQ client: one event, or an array of up to 1,000. The answer comes once they are durable, with an id for each in its order. `account_id` may be absent when `webhook_id` is given. The same event again makes nothing new. One that is malformed refuses the whole batch; one that names an unknown account or webhook is kept as rejected.
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
    /** Whether the database and the queue answer, too */
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
      /** @description 1 active, 0 inactive; 1 when absent, on an edit unchanged. */
      status?: (0 | 1 | '0' | '1') | null;
      /** @description Sent as Bearer in callbacks. Empty or null: none. */
      secret?: string | null;
      /** @description The body template. Null on an edit: none. */
      payload?: Record<string, never> | null;
      /** @description Whether callbacks carry `Signature`; true when absent, on an edit unchanged. */
      signing?: boolean;
      /** @description The code of the verification challenge. */
      token?: string | null;
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
    };
    WebhookChanges: {
      /** @description 1 to 255 characters after trimming. */
      name: string;
      /** @description Absolute, http or https; placeholders may stand in values of its query. */
      uri: string;
      /** @description 1 active, 0 inactive; 1 when absent, on an edit unchanged. */
      status?: (0 | 1 | '0' | '1') | null;
      /** @description Sent as Bearer in callbacks. Empty or null: none. */
      secret?: string | null;
      /** @description The body template. Null on an edit: none. */
      payload?: Record<string, never> | null;
      /** @description Whether callbacks carry `Signature`; true when absent, on an edit unchanged. */
      signing?: boolean;
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
      event: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in';
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
    Event: {
      /** @enum {string} */
      event: 'sms:message:status' | 'rcs:message:status' | 'rcs:message:in';
      account_id?: string | null;
      webhook_id?: string | null;
      identity?: string | null;
      event_id?: string | null;
      /** @description An object, or the JSON text of one, which is sent as it is. */
      payload:
        | ({
            id: string;
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
    NotFound: {
      /** @constant */
      status: 'NotFound';
      /** @constant */
      code: 404;
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
    /** @description The body is too large. */
    PayloadTooLarge: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['PayloadTooLarge'];
      };
    };
    /** @description The body is not `application/json`. */
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
    /** @description Too many requests in this minute; `Retry-After` says when to come back. */
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
    /** @description The database or the queue is away; try again later. */
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
    /** @description There is no such thing, or it is not the account’s. */
    NotFound: {
      headers: {
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['NotFound'];
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
        /** @description Contained in the name, in any case; a comma means or. */
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
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
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
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
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
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
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
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthenticated'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
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
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
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
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
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
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
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
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
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
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
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
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['ValidationError'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
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
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
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
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['ServerError'];
      503: components['responses']['ServiceUnavailable'];
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
      503: components['responses']['ServiceUnavailable'];
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
    };
  };
}
