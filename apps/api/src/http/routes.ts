import { type Request, type Response, Router } from 'express';
import { groupBy } from '@ringback/process';
import { callerOf, canSeeWebhook, requirePlatformScope, requireScope, webhookNotFound } from './authenticate.js';
import type { RequestConcurrencyLimit } from './concurrency-limit.js';
import { type Operation, parseRoute } from './operation.js';
import { allowOnly, ApiError } from './response.js';

type Route = Operation['route'];
/** A request, with the parameters that its path has. */
export type ApiRequest = Request<Record<'id' | 'message_id' | 'token_id', string>>;
type Handler = (request: ApiRequest, response: Response) => unknown;

/** Handlers by the routes of their operations. */
export type Routes = { [route: Route]: Handler };

/**
 * Mounts handlers behind the checks of their endpoints: the scope, the webhooks that a portal session may see, and the
 * account's turn. A method that a path lacks gets a 405 with `Allow`. List a path with a parameter after the fixed
 * paths that it also matches.
 */
export function mountRoutes(routes: Routes, operations: Operation[], limit: RequestConcurrencyLimit): Router {
  const router = Router();
  const paths = groupBy(Object.entries<Handler>(routes), ([route]) => route.split(' ')[1] ?? '');
  for (const [path, handlers] of paths) {
    const mounted = router.route(path.replace(/\{(\w+)\}/g, ':$1'));
    const methods = handlers.map(([route, handler]) => {
      const operation = operations.find((candidate) => candidate.route === route);
      if (!operation) throw new Error(`${route} has no operation`);
      const { method } = parseRoute(operation);
      mounted[method]<ApiRequest['params']>((request, response) =>
        handle({ operation, handler, limit }, request, response),
      );
      return method.toUpperCase();
    });
    mounted.all(allowOnly(...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))));
  }
  return router;
}

type Mounted = { operation: Operation; handler: Handler; limit: RequestConcurrencyLimit };

async function handle({ operation, handler, limit }: Mounted, request: ApiRequest, response: Response): Promise<void> {
  if (operation.callerKind === 'platform') requirePlatformScope(request, response, operation.scope);
  else if (operation.scope !== undefined) {
    requireScope(request, response, operation.scope);
    requireVisibleWebhook(operation, request);
  }
  await limit.run(request, response, operation, () => handler(request, response));
}

/**
 * Guards an operation against portal sessions that are restricted to some webhooks. For such a session, an operation on
 * the path of another webhook responds with 404, as for an unknown one. An operation without a webhook in its path
 * responds with 403, unless it has `forRestrictedSession`.
 */
function requireVisibleWebhook(operation: Operation, request: ApiRequest): void {
  if (operation.forRestrictedSession !== undefined || !callerOf(request).webhookIds) return;
  if (parseRoute(operation).path.startsWith('/developer/webhooks/{id}')) {
    if (!canSeeWebhook(request, request.params.id)) throw webhookNotFound();
    return;
  }
  const action = operation.summary.charAt(0).toLowerCase() + operation.summary.slice(1);
  throw new ApiError(403, `This session is restricted to some webhooks, so it cannot ${action}.`);
}
