import { Router } from 'express';
import type { ApiDeps } from '../deps.js';
import { sendSuccess } from '../http/output/envelope.js';
import { readPreview } from './input.js';
import { previewResource } from './resource.js';

/** Renders templates. Other methods than POST reach the routes of webhooks, for which `preview` is an unknown id. */
export function previewRouter({ egressAllowList }: ApiDeps): Router {
  const router = Router();
  router
    .route('/developer/webhooks/preview')
    .post((request, response) =>
      sendSuccess(response, 'OK', previewResource(readPreview(request.body, egressAllowList))),
    )
    // Without this handler, Express would respond to OPTIONS itself.
    .all((_request, _response, next) => next());
  return router;
}
