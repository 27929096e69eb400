import { type Request, type RequestHandler, type Response, Router } from 'express';
import { defaultNaming, type PortalTheme } from '@ringback/rules';
import { apiPathOf } from '@ringback/process';
import type { ApiDeps } from '../http/deps.js';
import { cspWith } from '../http/middleware.js';
import { wayToMount } from '../http/public-path.js';
import { allowOnly, ApiError } from '../http/response.js';
import { elementScript } from './element.js';
import { type PortalFile, readPortalFiles } from './files.js';

/** The Content-Security-Policy of the page, which lets it load only its own files, data: images and allowed logos. */
const cspFor = ({ frameAncestors = [], logoOrigins = [], theme }: ApiDeps) =>
  cspWith({
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'connect-src': ["'self'"],
    'font-src': ["'self'"],
    'img-src': ["'self'", 'data:', ...new Set([...logoOrigins, ...logoOriginOf(theme)])],
    'frame-ancestors': frameAncestors.length === 0 ? ["'none'"] : frameAncestors,
  });

/** The operator need not list the logo of its own theme in PORTAL_LOGO_ORIGINS. */
const logoOriginOf = ({ logo_url: logo }: PortalTheme = {}) =>
  logo === undefined || logo.startsWith('data:') ? [] : [new URL(logo).origin];

/** How the page names its own files. */
const ownFiles = /(?<=(src|href)=")\.\//g;

const notBuilt = 'The portal has not been built. Run `npm run build`, then restart the API.\n';
const yearS = 31_536_000;

/**
 * Serves the portal's page at `/portal`: its files, `config.json` with the way to the API, and the script of the custom
 * element. Any other path is a route of the page and gets `index.html`, except a missing asset, which is a 404.
 * `deps.portalFolder` is read only once.
 */
export function portalRouter(deps: ApiDeps): Router {
  const { portalFolder, frameAncestors = [], names = defaultNaming } = deps;
  const files = readPortalFiles(portalFolder);
  const index = files.get('/index.html')?.body.toString();
  files.delete('/index.html');
  const config = {
    // Relative to `config.json`.
    api: `..${apiPathOf(deps)}`,
    frame_ancestors: frameAncestors,
    header_prefix: names.headerPrefix,
  };
  const element = elementScript(names);
  const csp = cspFor(deps);
  const rejectOtherMethods = allowOnly('GET', 'HEAD');

  const setHeaders = (response: Response) => {
    response.set({ 'Content-Security-Policy': csp, 'Referrer-Policy': 'no-referrer' });
    // X-Frame-Options cannot list origins, so it would contradict the Content-Security-Policy.
    if (frameAncestors.length > 0) response.removeHeader('X-Frame-Options');
    else response.set('X-Frame-Options', 'DENY');
  };
  const servePage: RequestHandler = async (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return rejectOtherMethods(request, response, next);
    setHeaders(response);
    if (request.path === '/config.json') return void response.json(config);
    if (request.path === '/element.js') return sendElement(response, element);
    if (!index) return void response.status(503).type('text/plain').send(notBuilt);
    const file = files.get(request.path);
    // A page of an older version may request files that no longer exist. Sending `index.html` instead would hide the
    // error.
    if (!file && request.path.startsWith('/assets/')) throw new ApiError(404, 'Not Found.');
    if (file) await sendFile(request, response, file);
    else response.type('html').send(index.replace(ownFiles, wayToMount(request)));
  };
  return Router().use('/portal', servePage);
}

/** Sends the script so that pages of other origins can load it, as a classic script or as a module. */
function sendElement(response: Response, script: string): void {
  response.set({ 'Cross-Origin-Resource-Policy': 'cross-origin', 'Access-Control-Allow-Origin': '*' });
  response.type('js').send(script);
}

async function sendFile(request: Request, response: Response, file: PortalFile): Promise<void> {
  if (file.isHashed) response.set('Cache-Control', `public, max-age=${yearS}, immutable`);
  // Browsers list gzip first, but that does not express a preference.
  const encoding = (['br', 'gzip'] as const).find((name) => request.acceptsEncodings(name) === name);
  const compressed = encoding && (await file.compress(encoding));
  response.vary('Accept-Encoding').type(file.extension);
  if (compressed) response.set('Content-Encoding', encoding);
  response.send(compressed ?? file.body);
}
