import type { AllowList, PortalTheme, ProductNames } from '@ringback/rules';
import type { Database, Waker } from '@ringback/ledger';
import type { Queues } from '@ringback/queue';
import type { Logger, PublicAddress, Tracer } from '@ringback/process';
import type { ApiMetrics } from './metrics.js';

export type ApiDeps = PublicAddress & {
  db: Database;
  /**
   * Connections that searches and other management operations cannot occupy. They serve authentication, the exchange of
   * portal links, the request limit, wake-ups, `/readyz`, `/metrics` and single events of `POST /events`.
   */
  reservedDb: Database;
  /** Connections for lists of events, which would otherwise keep authentication waiting. */
  bulkDb: Database;
  queues: Pick<Queues, 'enqueueTestCall' | 'enqueueVerification' | 'check'> &
    Partial<Pick<Queues, 'createRequestCounter'>>;
  waker: Pick<Waker, 'wake'>;
  /** Aborts when the process stops, so that requests which wait end at once; never when absent. */
  stopping?: AbortSignal;
  log: Logger;
  metrics: ApiMetrics;
  /** Absent when tracing is off. */
  tracer?: Tracer | undefined;
  egressAllowList: AllowList;
  /** Maximum management requests per minute with one access token or portal session, in all processes. */
  rateLimitPerMinute: number;
  /** How long the shared counter of requests may take; 100 ms when absent. */
  countTimeoutMs?: number | undefined;
  /** Maximum concurrent management requests for one account in this process. */
  concurrencyPerAccount: number;
  /** How long a management request waits for others of its account to end; 2 s when absent. */
  concurrencyWaitMs?: number | undefined;
  maxWebhooksPerAccount: number;
  /** The average delay of a 429 of the request limit or of a concurrency limit; 1 s when absent. */
  refusalDelayMs?: number;
  /** The names that customers see; Ringback's own when absent. */
  names?: ProductNames;
  /** The look of the portal where a session's own theme says nothing. */
  theme?: PortalTheme | undefined;
  /** The folder with the built files of the portal. If it is absent or has no `index.html`, the page is a 503. */
  portalFolder?: string | undefined;
  /** The origins whose pages may show the portal in a frame; none when absent. */
  frameAncestors?: readonly string[];
  /** The origins besides its own from which the portal may load logos; none when absent. */
  logoOrigins?: readonly string[];
  /** The timeout of a callback, for which the request for a test call waits. */
  callbackTimeoutMs: number;
};
