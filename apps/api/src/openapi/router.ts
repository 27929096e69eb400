import { fileURLToPath } from 'node:url';
import { findRoot } from '@ringback/process';
import express, { type RequestHandler, Router } from 'express';
import { allowOnly } from '../http/output/errors.js';
import { operations } from '../operations.js';
import { buildOpenApiDocument } from './document.js';
import { page, startScript } from './swagger-page.js';

/** The default Content-Security-Policy, with which a browser loads nothing. `/docs` and the portal extend it. */
export const defaultCspDirectives = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};
// The page loads files from this server only, and sends requests only to this server. The style sheet of Swagger UI has
// icons as data: URLs.
const pageCspDirectives = {
  ...defaultCspDirectives,
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'connect-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
};
const pageCsp = Object.entries(pageCspDirectives)
  .map(([directive, sources]) => `${directive} ${sources.join(' ')}`)
  .join(';');

// The build copies the files of Swagger UI into this folder (scripts/copy-swagger-ui.mjs).
const findSwaggerUiFolder = () => fileURLToPath(new URL('apps/api/dist/swagger-ui', findRoot()));
const swaggerUiFiles = ['/swagger-ui.css', '/swagger-ui-bundle.js'];

/** Creates two routers: `document` serves `openapi.json` under the base URL, `page` serves Swagger UI at `/docs`. */
export function createDocsRouters(baseUrl: string): { document: Router; page: Router } {
  const openApiDocument = buildOpenApiDocument(operations, baseUrl);
  const script = startScript(`${new URL(baseUrl).pathname.replace(/\/$/, '')}/openapi.json`);
  const sendPage: RequestHandler = (_request, response) => {
    response.set('Content-Security-Policy', pageCsp).type('html').send(page);
  };
  const rejectOtherMethods = allowOnly('GET', 'HEAD');
  const routers = { document: Router(), page: Router() };
  routers.document
    .route('/openapi.json')
    .get((_request, response) => void response.json(openApiDocument))
    .all(rejectOtherMethods);
  routers.page.route('/docs').get(sendPage).all(rejectOtherMethods);
  routers.page.use('/docs', pageFiles(script));
  return routers;
}

/** Serves the files of the page: Swagger UI's style and code, and the script that starts it. */
function pageFiles(script: string): RequestHandler {
  const files = express.static(findSwaggerUiFolder(), {
    index: false,
    redirect: false,
    cacheControl: false,
    etag: false,
  });
  return (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next();
    if (request.path === '/start.js') return void response.type('js').send(script);
    if (swaggerUiFiles.includes(request.path)) return files(request, response, next);
    next();
  };
}
