import express, { type Express, Router } from 'express';
import helmet from 'helmet';
import { defaultNaming } from '@ringback/rules';
import { createRequestCounter } from '@ringback/ledger';
import { apiPathOf } from '@ringback/process';
import { accountRoutes } from './accounts/routes.js';
import { changeRoutes } from './changes/routes.js';
import { deliveryRoutes } from './deliveries/routes.js';
import { eventKindRoutes, eventsRouter } from './events/routes.js';
import { maxEventsBytes } from './events/schema.js';
import { Authentication, requireEventsScope } from './http/authenticate.js';
import { readBody, readJsonTextUnlessNdjson } from './http/body.js';
import { RequestConcurrencyLimit } from './http/concurrency-limit.js';
import type { ApiDeps } from './http/deps.js';
import { parseQuery } from './http/input.js';
import {
  assignRequestId,
  defaultCspDirectives,
  escapeMalformedPaths,
  forbidCaching,
  logRequests,
  overrideMethod,
  refuseCallbackLoops,
  requireHost,
} from './http/middleware.js';
import { acceptPublicPath } from './http/public-path.js';
import { RefusalDelay, RequestLimit, requestWindowMs } from './http/request-limit.js';
import { sendErrors, sendNotFound } from './http/response.js';
import { mountRoutes, type Routes } from './http/routes.js';
import { docsRouter, documentRouter } from './openapi/docs.js';
import { operations } from './operations.js';
import { outcomeRoutes } from './outcomes/routes.js';
import { portalRouter } from './portal/routes.js';
import { exchangeRouter, portalSessionRoutes } from './portal-sessions/routes.js';
import { replayRoutes } from './replays/routes.js';
import { serviceRouter } from './service/routes.js';
import { signingSecretRoutes } from './signing-secrets/routes.js';
import { statisticsRoutes } from './statistics/routes.js';
import { subscriptionRoutes } from './subscriptions/routes.js';
import { tokenRoutes } from './tokens/routes.js';
import { tryingOutRoutes } from './trying-out/routes.js';
import { verificationRoutes } from './verification/routes.js';
import { webhookRoutes } from './webhooks/routes.js';

const maxBodyBytes = 64 * 1024;

/**
 * Creates the Express app. Health, metrics, docs and the portal are at the root, the API at its path. All are also
 * under the path of the public URL.
 */
export function createApp(deps: ApiDeps): Express {
  const { log, metrics, names = defaultNaming } = deps;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', parseQuery);
  app.use(assignRequestId);
  app.use(helmet({ contentSecurityPolicy: { useDefaults: false, directives: defaultCspDirectives } }));
  app.use(logRequests(log), metrics.recordRequest);
  app.use(acceptPublicPath(deps, operations));
  app.use(forbidCaching, requireHost, refuseCallbackLoops(names), escapeMalformedPaths);
  // The API first: a request passes the routers before its own, and most requests push events.
  app.use(apiPathOf(deps) || '/', apiRouter(deps));
  app.use(serviceRouter(deps), docsRouter(deps, names), portalRouter(deps));
  app.use(sendNotFound);
  app.use(sendErrors(log));
  return app;
}

/** The API: its document, events and accounts for platforms, portal sessions, and the management of an account. */
function apiRouter(deps: ApiDeps): Router {
  const authentication = new Authentication(deps.reservedDb);
  const refusalDelay = new RefusalDelay({ delayMs: deps.refusalDelayMs });
  const requestLimit = createRequestLimit(deps, refusalDelay);
  const concurrencyLimit = new RequestConcurrencyLimit({
    perAccount: deps.concurrencyPerAccount,
    maxWaitMs: deps.concurrencyWaitMs,
    refusalDelay,
  });
  const mount = (routes: Routes) => mountRoutes(routes, operations, concurrencyLimit);

  const api = Router();
  api.use('/events', authentication.platform, requireEventsScope);
  api.use('/events', readJsonTextUnlessNdjson(maxEventsBytes), overrideMethod);
  api.use(eventsRouter(deps));
  api.use(documentRouter(operations, deps, deps.names));
  api.use(exchangeRouter(deps, maxBodyBytes));
  api.use('/portal-sessions', authentication.sessionCreator, requestLimit.check, concurrencyLimit.admit);
  api.use('/portal-sessions', readBody(maxBodyBytes), overrideMethod);
  api.use(mount(portalSessionRoutes(deps)));
  api.use('/platform', authentication.platform, readBody(maxBodyBytes), overrideMethod);
  api.use(mount({ ...accountRoutes(deps), ...outcomeRoutes(deps) }));
  api.use('/developer', authentication.account, requestLimit.check, concurrencyLimit.admit);
  api.use('/developer', readBody(maxBodyBytes), overrideMethod);
  api.use(
    mount({
      // Before the routes of webhooks, whose path `/developer/webhooks/{id}` also matches
      // `/developer/webhooks/preview`.
      ...tryingOutRoutes(deps),
      ...webhookRoutes(deps),
      ...verificationRoutes(deps),
      ...signingSecretRoutes(deps),
      ...eventKindRoutes(),
      ...subscriptionRoutes(deps),
      ...deliveryRoutes(deps),
      ...replayRoutes(deps),
      ...changeRoutes(deps),
      ...tokenRoutes(deps),
      ...statisticsRoutes(deps),
    }),
  );
  return api;
}

/** All API processes share the counts. They are in Redis if Redis is configured, otherwise in PostgreSQL. */
function createRequestLimit(deps: ApiDeps, refusalDelay: RefusalDelay): RequestLimit {
  const { queues, reservedDb, rateLimitPerMinute: perMinute, countTimeoutMs, log } = deps;
  const countRequest =
    queues.createRequestCounter?.(requestWindowMs) ?? createRequestCounter(reservedDb, requestWindowMs);
  return new RequestLimit({ perMinute, countRequest, log, refusalDelay, countTimeoutMs });
}
