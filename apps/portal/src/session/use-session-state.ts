import { useEffect, useMemo, useState } from 'react';
import { type Api, createApi } from '../data/api.js';
import { type ApiFailure, toApiFailure } from '../data/api-failure.js';
import type { PortalSession } from '../data/schemas.js';
import { exchangeLinkToken } from './exchange-link-token.js';
import { openSessionInUrl, takeFirstSession } from './first-session.js';
import { putLinkTokenInUrl, linkTokenIn } from './link-token.js';
import { createSessionTokens, type SessionTokens } from './session-tokens.js';
import { useLinkInUrl } from './use-link-in-url.js';
import { useSessionExpiry } from './use-session-expiry.js';

type Open = { name: 'open'; session: PortalSession; apiPath: string };
type State = { name: 'opening' } | { name: 'missing' } | { name: 'failed'; failure: ApiFailure } | Open;

export type SessionState = {
  state: State;
  api: Api;
  /** Whether the open session has ended. The page stays as it is. */
  hasEnded: boolean;
  /** Opens the session in the URL again. */
  retry: () => void;
  /** Resumes with a new portal link of the same account. Resolves with a problem to show if the link cannot be used. */
  resume: (link: string) => Promise<string | undefined>;
};

const currentToken = () => linkTokenIn(window.location.hash);
const firstState = (): State => ({ name: currentToken() === undefined ? 'missing' : 'opening' });

/** Opens the session in the URL, and notices its end. The bearer token is only in memory. */
export function useSessionState(): SessionState {
  const [state, setState] = useState<State>(firstState);
  const [hasEnded, setEnded] = useState(false);
  const [tokens] = useState(createSessionTokens);
  useEffect(() => void openFirstSession(tokens).then(setState), [tokens]);

  const open = state.name === 'open' ? state : undefined;
  const path = open?.apiPath ?? '';
  const api = useMemo(
    () => createApi({ path, getToken: tokens.bearerToken, onUnauthenticated: () => setEnded(true) }),
    [path, tokens],
  );
  const resume = async (link: string) => {
    if (!open) return undefined;
    const next = await openSessionOfLink(link, open, tokens);
    if (typeof next === 'string') return next;
    setState(next);
    setEnded(false);
    return undefined;
  };
  useSessionExpiry(open?.session.expires_at, setEnded);
  useLinkInUrl(tokens, resume);
  const retry = () => {
    setState({ name: 'opening' });
    void openFirstSession(tokens).then(setState);
  };
  return { state, api, hasEnded, retry, resume };
}

/** Opens the session in the URL. The first call waits for the request that main.tsx started. */
async function openFirstSession(tokens: SessionTokens): Promise<State> {
  try {
    const opened = await (takeFirstSession() ?? openSessionInUrl());
    if (opened === undefined) return { name: 'missing' };
    const { linkToken, session, apiPath } = opened;
    tokens.set(session.token, linkToken);
    return { name: 'open', session, apiPath };
  } catch (error) {
    return { name: 'failed', failure: toApiFailure(error) };
  }
}

/** Opens the session of a new link for the same account. Resolves with a problem to show if the link cannot be used. */
async function openSessionOfLink(
  link: string,
  { apiPath, session }: Open,
  tokens: SessionTokens,
): Promise<Open | string> {
  const linkToken = linkTokenIn(link);
  if (linkToken === undefined) return 'This is not a portal link. A portal link has "#session=" in it.';
  try {
    const next = await exchangeLinkToken(apiPath, linkToken);
    if (next.account.id !== session.account.id) return `This link is for another account, ${next.account.name}.`;
    putLinkTokenInUrl(linkToken);
    tokens.set(next.token, linkToken);
    return { name: 'open', session: next, apiPath };
  } catch (error) {
    const failure = toApiFailure(error);
    return failure.kind === 'session' ? 'This link has expired, too.' : failure.message;
  }
}
