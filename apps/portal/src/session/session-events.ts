import { useEffect } from 'react';
import type { SessionTokens } from './session-tokens.js';
import { putLinkTokenInUrl, linkTokenIn } from './link-token.js';

const maxTimerMs = 2 ** 31 - 1;

/** Notices the end of the session also while the page makes no requests. */
export function useSessionExpiry(expiresAt: string | undefined, setEnded: (hasEnded: boolean) => void): void {
  useEffect(() => {
    if (expiresAt === undefined) return;
    const ms = new Date(expiresAt).getTime() - Date.now();
    // A wrong clock must not end the session; the next 401 ends it.
    if (!(ms > 0)) return;
    const timer = setTimeout(() => setEnded(true), Math.min(ms, maxTimerMs));
    return () => clearTimeout(timer);
  }, [expiresAt, setEnded]);
}

/**
 * Resumes with a new link that the user puts into the address bar, or reloads the page if it is for another account.
 * When the user goes back to a URL with an older link, it is replaced by the current one.
 */
export function useNewFragment(bearer: SessionTokens, resume: (link: string) => Promise<string | undefined>): void {
  useEffect(() => {
    const onHashChange = async () => {
      const token = linkTokenIn(window.location.hash);
      const current = bearer.linkToken();
      if (current === undefined || token === current) return;
      if (token === undefined || bearer.hasUsedLink(token)) return putLinkTokenInUrl(current);
      if ((await resume(window.location.hash)) !== undefined) window.location.reload();
    };
    const listener = () => void onHashChange();
    window.addEventListener('hashchange', listener);
    return () => window.removeEventListener('hashchange', listener);
  });
}
