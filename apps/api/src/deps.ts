import type { AllowList } from '@ringback/callbacks';
import type { Database, Waker } from '@ringback/database';
import type { Queues } from '@ringback/queue';
import type { Logger, Tracer } from '@ringback/runtime';
import type { ApiMetrics } from './metrics.js';

/** The dependencies of the app and its routers. */
export type ApiDeps = {
  /** The connections of the management API. */
  db: Database;
  /** Connections that searches cannot occupy. They serve authentication, the rate limit, `/readyz` and `/events`. */
  reservedDb: Database;
  queues: Pick<Queues, 'enqueueTestCall' | 'enqueueVerification' | 'check'> &
    Partial<Pick<Queues, 'createRequestCounter'>>;
  waker: Waker;
  log: Logger;
  metrics: ApiMetrics;
  /** Absent when tracing is off. */
  tracer?: Tracer | undefined;
  egressAllowList: AllowList;
  /** The base URL of links to pages, without a trailing slash. The API is mounted at its path. */
  baseUrl: string;
  rateLimitPerMinute: number;
  /** How long the shared counter of requests may take. The default is 100 ms. */
  countTimeoutMs?: number | undefined;
  /** Maximum concurrent management requests for one account in this process. */
  concurrencyPerAccount: number;
  maxWebhooksPerAccount: number;
  /** The average delay of responses with 429; 1 s when absent. */
  refusalDelayMs?: number;
  /** The folder with the built files of the portal. Without it, or if it is empty, `/portal` responds with 503. */
  portalFolder?: string | undefined;
  /** The origins whose pages may show the portal in a frame; none when absent. */
  frameAncestors?: readonly string[];
  /** The origins besides its own from which the portal may load logos; none when absent. */
  logoOrigins?: readonly string[];
  /** The timeout of a callback. */
  callbackTimeoutMs: number;
};
