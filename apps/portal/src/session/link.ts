import type { paths } from '@ringback/client';
import createFetchClient from 'openapi-fetch';
import { unwrap } from '../api/client.js';
import { fetchConfig } from '../api/config.js';
import { type ApiFailure, toApiFailure } from '../api/failure.js';
import type { PortalSession } from '../api/schemas.js';

const pattern = /(?:^|[#&])session=([^&\s]+)/;

/** The link token in a URL fragment or in a complete portal link. Undefined if there is none. */
export function linkTokenIn(text: string): string | undefined {
  const fragment = text.includes('#') ? text.slice(text.indexOf('#')) : text;
  const token = pattern.exec(fragment)?.[1];
  if (token === undefined) return undefined;
  try {
    return decodeURIComponent(token);
  } catch {
    return undefined;
  }
}

/** Removes the fragment from the address and from the entry in the history. */
function removeLinkTokenFromUrl(): void {
  const { pathname, search } = window.location;
  window.history.replaceState(window.history.state, '', `${pathname}${search}`);
}

/** Exchanges a link token for its session, which has a bearer token. This works once. */
export async function exchangeLinkToken(apiPath: string, linkToken: string): Promise<PortalSession> {
  const api = createFetchClient<paths>({ baseUrl: apiPath });
  const { data } = await unwrap(api.POST('/portal-sessions/exchange', { body: { session: linkToken } }));
  return data;
}

/** The `return_url` in the error of an ended session or a used link, if it is an http or https URL. */
export function returnUrlOf({ body }: ApiFailure): string | null {
  const url = body.return_url;
  return typeof url === 'string' && /^https?:\/\//i.test(url) ? url : null;
}

type Opened = { session: PortalSession; apiPath: string };

/**
 * Opens the session whose link token is in the URL, and removes the token from the URL and the history as soon as it
 * can no longer be exchanged. After another failure it stays, so that the page can try again. Undefined if there is
 * none.
 */
export async function openSessionInUrl(): Promise<Opened | undefined> {
  // index.html preloads it, also for a page without a session.
  const config = fetchConfig();
  const linkToken = linkTokenIn(window.location.hash);
  if (linkToken === undefined) return undefined;
  const { apiPath } = await config;
  try {
    const session = await exchangeLinkToken(apiPath, linkToken);
    removeLinkTokenFromUrl();
    return { session, apiPath };
  } catch (error) {
    if (toApiFailure(error).kind === 'session') removeLinkTokenFromUrl();
    throw error;
  }
}

let first: Promise<Opened | undefined> | undefined;

/** Starts to open the session in the URL, before the page is rendered. */
export function startFirstSession(): void {
  first = openSessionInUrl();
  // The caller of takeFirstSession handles an error.
  first.catch(() => undefined);
}

/** The result of startFirstSession for the first caller; undefined for later ones. */
export function takeFirstSession(): Promise<Opened | undefined> | undefined {
  const taken = first;
  first = undefined;
  return taken;
}
