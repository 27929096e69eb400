import express, { type Express, Router } from 'express';
import helmet from 'helmet';
import type { AllowList } from '@ringback/callbacks';
import { type Database, openHitCounter, pingDatabase, type Waker } from '@ringback/database';
import type { Queues } from '@ringback/queue';
import type { Logger, Tracer } from '@ringback/runtime';
import { changesRouter } from './changes/router.js';
import { deliveriesRouter } from './deliveries/router.js';
import { eventCatalogueRouter, eventsRouter } from './events/router.js';
import { authenticate, authenticatePlatform } from './http/authenticate.js';
import { readBody, readJsonText } from './http/body.js';
import { countRequests, metricsRouter } from './http/count-requests.js';
import { answerErrors, notFound } from './http/errors.js';
import { healthRouter } from './http/health.js';
import { createHoldBack } from './http/hold-back.js';
import { limitConcurrency, limitSearches } from './http/limit-concurrency.js';
import { logRequests } from './http/log-requests.js';
import { overrideMethod } from './http/method-override.js';
import { parseQuery } from './http/query.js';
import { limitRate, windowMs } from './http/rate-limit.js';
import { requireScope } from './http/require-scope.js';
import { forbidCaching, readBrokenPaths, refuseCallbacks, requireHost } from './http/server.js';
import type { ApiMetrics } from './metrics.js';
import { contentSecurity, openDocs } from './openapi/router.js';
import { operations } from './operations.js';
import { pausingRouter } from './pausing/router.js';
import { replaysRouter } from './replays/router.js';
import { previewRouter } from './preview/router.js';
import { signingRouter } from './signing/router.js';
import { subscriptionsRouter } from './subscriptions/router.js';
import { testCallsRouter } from './test-calls/router.js';
import { verificationRouter } from './verification/router.js';
import { webhooksRouter } from './webhooks/router.js';

export type ApiDeps = {
  /** For the management API. */
  db: Database;
  /** Connections that no list can take: for authentication, the count of requests, `/readyz` and `/events`. */
  reservedDb: Database;
  queues: Pick<Queues, 'enqueueTestCall' | 'enqueueVerification' | 'ping'> & Partial<Pick<Queues, 'openHitCounter'>>;
  waker: Waker;
  log: Logger;
  metrics: ApiMetrics;
  /** Absent when nobody wants them. */
  traces?: Tracer | undefined;
  allow: AllowList;
  /** What page URLs are built from, without a slash at the end; its path is where the API is mounted. */
  baseUrl: string;
  rateLimitPerMinute: number;
  /** Management requests of one account under way in this process. */
  concurrencyPerAccount: number;
  maxWebhooksPerAccount: number;
  /** How long the refusal of a call that comes too often is held back; 1 s when absent. */
  refusalDelayMs?: number;
  /** How long a callback may take. */
  callbackTimeoutMs: number;
};

/** The whole API. Health, metrics and docs are at the root, everything else below the path of the base url. */
export function createApp(deps: ApiDeps): Express {
  const { reservedDb, queues, log, metrics, baseUrl } = deps;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', parseQuery);
  app.use(helmet({ contentSecurityPolicy: { useDefaults: false, directives: contentSecurity } }));
  app.use(logRequests(log));
  app.use(countRequests(metrics));
  app.use(forbidCaching, requireHost, refuseCallbacks, readBrokenPaths);
  app.use(healthRouter({ database: () => pingDatabase(reservedDb), queue: () => queues.ping() }));
  app.use(metricsRouter(metrics));
  const docs = openDocs(baseUrl);
  app.use(docs.page);

  const api = Router();
  api.use(docs.document);
  api.use('/events', authenticatePlatform(reservedDb), readJsonText(4 * 1024 * 1024));
  api.use(eventsRouter({ ...deps, db: reservedDb }));
  // All API processes share one count: in Redis where there is one, else in PostgreSQL.
  const countHit = queues.openHitCounter?.(windowMs) ?? openHitCounter(reservedDb, windowMs);
  const holdBack = createHoldBack({ delayMs: deps.refusalDelayMs });
  const limit = limitRate({ perMinute: deps.rateLimitPerMinute, countHit, log, holdBack });
  api.use('/developer', authenticate(reservedDb), limit, limitConcurrency(deps.concurrencyPerAccount, holdBack));
  api.use('/developer', readBody(64 * 1024), overrideMethod);
  api.use(requireScope(operations));
  api.use(limitSearches(operations, holdBack));
  // Before the paths of webhooks: it is no id.
  api.use(previewRouter(deps));
  api.use(webhooksRouter(deps));
  api.use(verificationRouter(deps));
  api.use(signingRouter(deps));
  api.use(pausingRouter(deps));
  api.use(testCallsRouter(deps));
  api.use(eventCatalogueRouter());
  api.use(subscriptionsRouter(deps));
  api.use(deliveriesRouter(deps));
  api.use(replaysRouter(deps));
  api.use(changesRouter(deps));
  app.use(new URL(baseUrl).pathname, api);

  app.use(notFound);
  app.use(answerErrors(log));
  return app;
}
