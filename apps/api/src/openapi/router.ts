import { createHash } from 'node:crypto';
import { type RequestHandler, Router } from 'express';
import { allowOnly } from '../http/errors.js';
import { operations } from '../operations.js';
import { describeApi } from './document.js';
import { renderPage } from './page.js';
import { style } from './style.js';

const styleHash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;

/** What a browser may load for an answer: nothing. Only the page has a style, which stands in it. */
export const contentSecurity = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};
const pagePolicy = Object.entries({ ...contentSecurity, 'style-src': [styleHash] })
  .map(([directive, sources]) => `${directive} ${sources.join(' ')}`)
  .join(';');

/** `openapi.json` below the base url, and the page at the root. Both are made once. */
export function openDocs(baseUrl: string): { document: Router; page: Router } {
  const described = describeApi(operations, baseUrl);
  const page = renderPage(described, `${baseUrl}/openapi.json`);
  const sendPage: RequestHandler = (_request, response) => {
    response.set('Content-Security-Policy', pagePolicy).type('html').send(page);
  };
  const readOnly = allowOnly('GET', 'HEAD');
  const routers = { document: Router(), page: Router() };
  routers.document
    .route('/openapi.json')
    .get((_request, response) => void response.json(described))
    .all(readOnly);
  routers.page.route('/docs').get(sendPage).all(readOnly);
  return routers;
}
