import { fetchConfig } from '../api/config.js';
import { toApiFailure } from '../api/failure.js';
import type { PortalSession } from '../api/schemas.js';
import { exchangeLinkToken } from './exchange-link-token.js';
import { linkTokenIn, removeLinkTokenFromUrl } from './link-token.js';

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
