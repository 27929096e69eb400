import { createContext, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { type Api, createApi } from '../api/client.js';
import { fetchConfig } from '../api/config.js';
import { type ApiFailure, isRecord, toApiFailure } from '../api/failure.js';
import type { PortalSession, Scope } from '../api/schemas.js';
import { isFramed, isFromHost, postToHost } from './host-page.js';
import { exchangeLinkToken, linkTokenIn, openSessionInUrl, takeFirstSession } from './link.js';

type OpenSession = {
  session: PortalSession;
  api: Api;
  /** The path of the API, such as `/api/v2`. */
  apiPath: string;
};

export const SessionContext = createContext<OpenSession | null>(null);

/** The open session, with the typed client of the API. */
export function useSession(): OpenSession {
  const open = useContext(SessionContext);
  if (!open) throw new Error('useSession needs a SessionContext.');
  return open;
}

export const useApi = () => useSession().api;

/** Whether the session has the scope. */
export const useHasScope = (scope: Scope) => useSession().session.scopes.includes(scope);

/** Whether the session sees all webhooks. Only such sessions can create webhooks, subscriptions and access tokens. */
export const useSeesAllWebhooks = () => useSession().session.webhook_ids === null;

type Open = { name: 'open'; session: PortalSession; apiPath: string };
type State = { name: 'opening' } | { name: 'missing' } | { name: 'failed'; failure: ApiFailure } | Open;

type SessionState = {
  state: State;
  api: Api;
  /** Whether a new link is needed. If a session was open, the page stays as it is. */
  hasEnded: boolean;
  /** Opens the session in the URL again. */
  retry: () => void;
  /**
   * Opens the session of a new portal link, of the same account if one was open. Resolves with a problem to show if the
   * link cannot be used.
   */
  resume: (link: string) => Promise<string | undefined>;
};

const firstState = (): State => ({ name: linkTokenIn(window.location.hash) === undefined ? 'missing' : 'opening' });

/** Creates the store of the session's bearer token, which is only in memory. */
function createBearer() {
  let bearer = '';
  return { get: () => bearer, set: (token: string) => void (bearer = token) };
}

/** Opens the session in the URL, and notices its end. The bearer token is only in memory. */
export function useSessionState(): SessionState {
  const [state, setState] = useState<State>(firstState);
  const [isOver, setOver] = useState(false);
  const [bearer] = useState(createBearer);
  const show = useCallback(
    (next: State) => {
      if (next.name === 'open') bearer.set(next.session.token);
      setState(next);
    },
    [bearer],
  );
  useEffect(() => void openFirstSession().then(show), [show]);
  useEffect(reloadForNewLinks, []);

  const open = state.name === 'open' ? state : undefined;
  const path = open?.apiPath ?? '';
  const api = useMemo(
    () => createApi({ path, getToken: bearer.get, onUnauthenticated: () => setOver(true) }),
    [path, bearer],
  );
  const resume = async (link: string) => {
    const next = await openSessionOfLink(link, open);
    if (typeof next === 'string') return next;
    show(next);
    setOver(false);
    return undefined;
  };
  useSessionExpiry(open?.session.expires_at, setOver);
  const retry = () => {
    setState({ name: 'opening' });
    void openFirstSession().then(show);
  };
  const needsLink = state.name === 'missing' || (state.name === 'failed' && state.failure.kind === 'session');
  return { state, api, hasEnded: isOver || needsLink, retry, resume };
}

/** Opens the session in the URL. The first call waits for the request that main.tsx started. */
async function openFirstSession(): Promise<State> {
  try {
    const opened = await (takeFirstSession() ?? openSessionInUrl());
    return opened === undefined ? { name: 'missing' } : { name: 'open', ...opened };
  } catch (error) {
    return { name: 'failed', failure: toApiFailure(error) };
  }
}

/**
 * Loads the page again when a link is entered in the address bar, because browsers do not if only the fragment changes.
 */
function reloadForNewLinks(): () => void {
  const listener = () => {
    if (linkTokenIn(window.location.hash) !== undefined) window.location.reload();
  };
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

/** Opens the session of a new link. Resolves with a problem to show if the link cannot be used. */
async function openSessionOfLink(link: string, current: Open | undefined): Promise<Open | string> {
  const linkToken = linkTokenIn(link);
  if (linkToken === undefined) return 'This is not a portal link. A portal link has "#session=" in it.';
  const { apiPath } = await fetchConfig();
  try {
    const session = await exchangeLinkToken(apiPath, linkToken);
    if (current && session.account.id !== current.session.account.id)
      return `This link is for another account, ${session.account.name}.`;
    return { name: 'open', session, apiPath };
  } catch (error) {
    const failure = toApiFailure(error);
    return failure.kind === 'session' ? 'This link has expired or has been used, too.' : failure.message;
  }
}

const maxTimerMs = 2 ** 31 - 1;

/** Calls `setEnded` when the session expires, even if the page makes no requests. */
function useSessionExpiry(expiresAt: string | undefined, setEnded: (hasEnded: boolean) => void): void {
  useEffect(() => {
    if (expiresAt === undefined) return;
    const ms = new Date(expiresAt).getTime() - Date.now();
    // A wrong clock must not end the session; the next 401 ends it.
    if (!(ms > 0)) return;
    const timer = setTimeout(() => setEnded(true), Math.min(ms, maxTimerMs));
    return () => clearTimeout(timer);
  }, [expiresAt, setEnded]);
}

type HostLinks = { hasEnded: boolean; resume: (link: string) => Promise<string | undefined> };

/**
 * In a frame, sends `{type: "portal:session-ended"}` to the host page when the session has ended or a new link is
 * needed, and resumes with the link in the host page's reply, `{type: "portal:session", url}`.
 */
export function useHostLinks({ hasEnded, resume }: HostLinks): void {
  useEffect(() => {
    if (hasEnded && isFramed) void postToHost({ type: 'portal:session-ended' });
  }, [hasEnded]);
  useEffect(() => {
    if (!hasEnded || !isFramed) return;
    const onMessage = async (event: MessageEvent<unknown>) => {
      const { data } = event;
      if (!isRecord(data) || data.type !== 'portal:session' || typeof data.url !== 'string') return;
      if (await isFromHost(event)) void resume(data.url);
    };
    const listener = (event: MessageEvent<unknown>) => void onMessage(event);
    window.addEventListener('message', listener);
    return () => window.removeEventListener('message', listener);
  });
}
