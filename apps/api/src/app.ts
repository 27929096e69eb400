import express, { type Express, Router } from 'express';
import helmet from 'helmet';
import { createRequestCounter, pingDatabase, requireWritable } from '@ringback/ledger';
import { changesRouter } from './changes/router.js';
import { deliveriesRouter } from './deliveries/router.js';
import type { ApiDeps } from './deps.js';
import { maxEventsBytes } from './events/input.js';
import { eventCatalogueRouter, eventsRouter } from './events/router.js';
import { authenticate, authenticatePlatform } from './http/guards/authenticate.js';
import { readBody, readJsonTextUnlessNdjson } from './http/input/body.js';
import { recordRequestMetrics, metricsRouter } from './http/server/request-metrics.js';
import { sendErrors, sendNotFound } from './http/output/errors.js';
import { healthRouter } from './http/server/health.js';
import { createRefusalDelay } from './http/guards/refusal-delay.js';
import { limitConcurrency, limitSearches } from './http/guards/concurrency-limit.js';
import { hideOtherWebhooks } from './webhooks/visibility.js';
import { logRequests } from './http/server/request-log.js';
import { overrideMethod } from './http/input/method-override.js';
import { parseQuery } from './http/input/query.js';
import { limitRequests, requestWindowMs } from './http/guards/request-limit.js';
import { requireScope } from './http/guards/require-scope.js';
import { refuseCallbackLoops } from './http/guards/refuse-callback-loops.js';
import { requireHost } from './http/guards/require-host.js';
import { escapeMalformedPaths } from './http/input/escape-malformed-paths.js';
import { forbidCaching } from './http/output/forbid-caching.js';
import { defaultCspDirectives, createDocsRouters } from './openapi/router.js';
import { operations } from './operations.js';
import { pausingRouter } from './pausing/router.js';
import { portalRouter } from './portal/router.js';
import { portalSessionsRouter } from './portal-sessions/router.js';
import { replaysRouter } from './replays/router.js';
import { previewRouter } from './preview/router.js';
import { signingRouter } from './signing-secrets/router.js';
import { statisticsRouter } from './statistics/router.js';
import { subscriptionsRouter } from './subscriptions/router.js';
import { testCallsRouter } from './test-calls/router.js';
import { tokensRouter } from './tokens/router.js';
import { verificationRouter } from './verification/router.js';
import { webhooksRouter } from './webhooks/router.js';

/**
 * Creates the Express app. Health, metrics, docs and the portal are at the root; the API is under the path of the base
 * URL.
 */
export function createApp(deps: ApiDeps): Express {
  const { reservedDb, queues, log, metrics, baseUrl } = deps;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', parseQuery);
  app.use(helmet({ contentSecurityPolicy: { useDefaults: false, directives: defaultCspDirectives } }));
  app.use(logRequests(log));
  app.use(recordRequestMetrics(metrics));
  app.use(forbidCaching, requireHost, refuseCallbackLoops, escapeMalformedPaths);
  app.use(
    healthRouter({
      database: () => pingDatabase(reservedDb),
      writes: () => requireWritable(reservedDb),
      queue: () => queues.check(),
    }),
  );
  app.use(metricsRouter(metrics));
  const docs = createDocsRouters(baseUrl);
  app.use(docs.page);
  app.use(portalRouter(deps));

  const api = Router();
  api.use(docs.document);
  api.use('/events', authenticatePlatform(reservedDb), readJsonTextUnlessNdjson(maxEventsBytes), overrideMethod);
  api.use(eventsRouter({ ...deps, db: reservedDb }));
  // All API processes share the counts. They are in Redis if Redis is configured, otherwise in PostgreSQL.
  const countRequest =
    queues.createRequestCounter?.(requestWindowMs) ?? createRequestCounter(reservedDb, requestWindowMs);
  const delayRefusal = createRefusalDelay({ delayMs: deps.refusalDelayMs });
  const limits = [
    limitRequests({
      perMinute: deps.rateLimitPerMinute,
      countRequest,
      log,
      delayRefusal,
      countTimeoutMs: deps.countTimeoutMs,
    }),
    limitConcurrency(deps.concurrencyPerAccount, delayRefusal),
  ];
  api.use(portalSessionsRouter(deps, limits));
  api.use('/developer', authenticate(reservedDb), limits);
  api.use('/developer', readBody(64 * 1024), overrideMethod);
  api.use(requireScope(operations));
  api.use(hideOtherWebhooks(operations));
  api.use(limitSearches(operations, delayRefusal));
  // Before the router of webhooks, whose path `/developer/webhooks/:id` also matches `/developer/webhooks/preview`.
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
  api.use(tokensRouter(deps));
  api.use(statisticsRouter(deps));
  app.use(new URL(baseUrl).pathname, api);

  app.use(sendNotFound);
  app.use(sendErrors(log));
  return app;
}
