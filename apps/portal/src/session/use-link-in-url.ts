import { useEffect } from 'react';
import { linkTokenIn, putLinkTokenInUrl } from './link-token.js';
import type { SessionTokens } from './session-tokens.js';

/**
 * Resumes with a new link that the user enters in the address bar, or reloads the page if `resume` fails, for example
 * because the link is for another account. When the user goes to a URL with an older link or with none, the newest link
 * is written to it.
 */
export function useLinkInUrl(tokens: SessionTokens, resume: (link: string) => Promise<string | undefined>): void {
  useEffect(() => {
    const onHashChange = async () => {
      const token = linkTokenIn(window.location.hash);
      const current = tokens.linkToken();
      if (current === undefined || token === current) return;
      if (token === undefined || tokens.hasUsedLink(token)) return putLinkTokenInUrl(current);
      if ((await resume(window.location.hash)) !== undefined) window.location.reload();
    };
    const listener = () => void onHashChange();
    window.addEventListener('hashchange', listener);
    return () => window.removeEventListener('hashchange', listener);
  });
}
