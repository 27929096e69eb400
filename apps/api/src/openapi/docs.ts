import { fileURLToPath } from 'node:url';
import express, { type RequestHandler, Router } from 'express';
import type { ProductNames } from '@ringback/rules';
import { apiPathOf, findRoot, type PublicAddress } from '@ringback/process';
import { cspWith } from '../http/middleware.js';
import type { TaggedOperation } from '../http/operation.js';
import { allowOnly } from '../http/response.js';
import { buildOpenApiDocument, type OpenApiDocument } from './document.js';

const rejectOtherMethods = allowOnly('GET', 'HEAD');

/**
 * Serves the document of the operations, `openapi.json` under the base URL. The first request builds it, so that the
 * API starts without it.
 */
export function documentRouter(operations: TaggedOperation[], address: PublicAddress, names?: ProductNames): Router {
  let document: OpenApiDocument | undefined;
  const router = Router();
  router
    .route('/openapi.json')
    .get((_request, response) => void response.json((document ??= buildOpenApiDocument(operations, address, names))))
    .all(rejectOtherMethods);
  return router;
}

// The page loads files from this server only, and sends requests only to this server. The style sheet of Swagger UI has
// icons as data: URLs.
const pageCsp = cspWith({
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'connect-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
});

/** The page that shows the document with Swagger UI. `folder` is the way from the page to its files. */
const pageFor = ({ productName }: ProductNames, folder: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>${productName.replaceAll('&', '&amp;')} API</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="${folder}swagger-ui.css" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="${folder}swagger-ui-bundle.js"></script>
    <script src="${folder}start.js"></script>
  </body>
</html>
`;

/**
 * The script that starts Swagger UI. It is a separate file, because the page's policy forbids inline scripts. The
 * document's path is relative to the script.
 */
const startScript = (documentPath: string) =>
  `const url = new URL(${JSON.stringify(documentPath)}, document.currentScript.src).href;
SwaggerUIBundle({ url, dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null });\n`;

// The build copies the files of Swagger UI into this folder (scripts/copy-swagger-ui.mjs).
const findSwaggerUiFolder = () => fileURLToPath(new URL('apps/api/dist/swagger-ui', findRoot()));
const swaggerUiFiles = ['/swagger-ui.css', '/swagger-ui-bundle.js'];

/** Serves Swagger UI at `/docs`: the page, its style and code, and the script that starts it. */
export function docsRouter(address: PublicAddress, names: ProductNames): Router {
  const script = startScript(`..${apiPathOf(address)}/openapi.json`);
  const files = express.static(findSwaggerUiFolder(), {
    index: false,
    redirect: false,
    cacheControl: false,
    etag: false,
  });
  const sendPage: RequestHandler = (request, response) => {
    const page = pageFor(names, request.path.endsWith('/') ? './' : 'docs/');
    response.set('Content-Security-Policy', pageCsp).type('html').send(page);
  };
  const sendFile: RequestHandler = (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next();
    if (request.path === '/start.js') return void response.type('js').send(script);
    if (swaggerUiFiles.includes(request.path)) return files(request, response, next);
    next();
  };
  const router = Router();
  router.route('/docs').get(sendPage).all(rejectOtherMethods);
  router.use('/docs', sendFile);
  return router;
}
