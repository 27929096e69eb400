import { fetchConfig } from '../data/config.js';
import type { PortalSession } from '../data/schemas.js';
import { exchangeLinkToken } from './exchange-link-token.js';
import { linkTokenIn } from './link-token.js';

type Opened = { linkToken: string; session: PortalSession; apiPath: string };

/** Opens the session in the URL. Undefined when the URL has none. */
export async function openSessionInUrl(): Promise<Opened | undefined> {
  const linkToken = linkTokenIn(window.location.hash);
  if (linkToken === undefined) return undefined;
  const { apiPath } = await fetchConfig();
  return { linkToken, session: await exchangeLinkToken(apiPath, linkToken), apiPath };
}

let first: Promise<Opened | undefined> | undefined;

/** Starts to open the session before there is a page to show it in. */
export function startFirstSession(): void {
  first = openSessionInUrl();
  // The caller of takeFirstSession handles an error.
  first.catch(() => undefined);
}

/** What startFirstSession started, once. */
export function takeFirstSession(): Promise<Opened | undefined> | undefined {
  const taken = first;
  first = undefined;
  return taken;
}
