import type { AllowList } from '@ringback/callbacks';
import type { Database, Waker } from '@ringback/database';
import type { Queues } from '@ringback/queue';
import type { Logger, Tracer } from '@ringback/runtime';
import type { ApiMetrics } from './metrics.js';

/** What the app and its routers need. */
export type ApiDeps = {
  /** For the management API. */
  db: Database;
  /** Connections that lists cannot use: for authentication, the rate limit, `/readyz` and `/events`. */
  reservedDb: Database;
  queues: Pick<Queues, 'enqueueTestCall' | 'enqueueVerification' | 'ping'> &
    Partial<Pick<Queues, 'createRequestCounter'>>;
  waker: Waker;
  log: Logger;
  metrics: ApiMetrics;
  /** Absent when tracing is off. */
  traces?: Tracer | undefined;
  allow: AllowList;
  /** The base of page URLs, without a trailing slash. Its path is where the API is mounted. */
  baseUrl: string;
  rateLimitPerMinute: number;
  /** Concurrent management requests of one account in this process. */
  concurrencyPerAccount: number;
  maxWebhooksPerAccount: number;
  /** The average delay of refusals (429); 1 s when absent. */
  refusalDelayMs?: number;
  /** The timeout of a callback. */
  callbackTimeoutMs: number;
};
