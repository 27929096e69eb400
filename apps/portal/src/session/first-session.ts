import { fetchConfig } from '../data/config.js';
import type { PortalSession } from '../data/schemas.js';
import { exchangeLinkToken } from './exchange-link-token.js';
import { linkTokenIn } from './link-token.js';

type Opened = { linkToken: string; session: PortalSession; apiPath: string };

/** Opens the session whose link token is in the URL. Undefined if there is none. */
export async function openSessionInUrl(): Promise<Opened | undefined> {
  const linkToken = linkTokenIn(window.location.hash);
  if (linkToken === undefined) return undefined;
  const { apiPath } = await fetchConfig();
  return { linkToken, session: await exchangeLinkToken(apiPath, linkToken), apiPath };
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
