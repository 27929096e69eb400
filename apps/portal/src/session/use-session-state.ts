import { useEffect, useMemo, useState } from 'react';
import { type Api, createApi } from '../data/api.js';
import { type ApiFailure, toFailure } from '../data/failure.js';
import type { PortalSession } from '../data/schemas.js';
import { type Bearer, createBearer } from './bearer.js';
import { exchange } from './exchange.js';
import { openAddress, takeFirstSession } from './first-session.js';
import { keepLinkToken, linkTokenIn } from './link.js';
import { useExpiry, useNewFragment } from './session-events.js';

type Open = { name: 'open'; session: PortalSession; apiPath: string };
type State = { name: 'opening' } | { name: 'missing' } | { name: 'failed'; failure: ApiFailure } | Open;

export type SessionState = {
  state: State;
  api: Api;
  /** True when an open session has ended; what the page shows stays. */
  hasEnded: boolean;
  /** Opens the session in the URL again. */
  retry: () => void;
  /** Resumes with a new portal link of the same account. Resolves with the reason when it cannot. */
  resume: (link: string) => Promise<string | undefined>;
};

const currentToken = () => linkTokenIn(window.location.hash);
const firstState = (): State => ({ name: currentToken() === undefined ? 'missing' : 'opening' });

/** Opens the session in the URL and notices its end. The bearer token is only in memory. */
export function useSessionState(): SessionState {
  const [state, setState] = useState<State>(firstState);
  const [hasEnded, setEnded] = useState(false);
  const [bearer] = useState(createBearer);
  useEffect(() => void openLink(bearer).then(setState), [bearer]);

  const open = state.name === 'open' ? state : undefined;
  const path = open?.apiPath ?? '';
  const api = useMemo(
    () => createApi({ path, getToken: bearer.get, onUnauthenticated: () => setEnded(true) }),
    [path, bearer],
  );
  const resume = async (link: string) => {
    if (!open) return undefined;
    const next = await openNewLink(link, open, bearer);
    if (typeof next === 'string') return next;
    setState(next);
    setEnded(false);
    return undefined;
  };
  useExpiry(open?.session.expires_at, setEnded);
  useNewFragment(bearer, resume);
  const retry = () => {
    setState({ name: 'opening' });
    void openLink(bearer).then(setState);
  };
  return { state, api, hasEnded, retry, resume };
}

/** Opens the session in the URL. The first time, main.tsx has already started to. */
async function openLink(bearer: Bearer): Promise<State> {
  try {
    const opened = await (takeFirstSession() ?? openAddress());
    if (opened === undefined) return { name: 'missing' };
    const { linkToken, session, apiPath } = opened;
    bearer.set(session.token, linkToken);
    return { name: 'open', session, apiPath };
  } catch (error) {
    return { name: 'failed', failure: toFailure(error) };
  }
}

/** Opens the session of another link for the same account. Resolves with the reason when it cannot. */
async function openNewLink(link: string, { apiPath, session }: Open, bearer: Bearer): Promise<Open | string> {
  const linkToken = linkTokenIn(link);
  if (linkToken === undefined) return 'This is not a portal link. A portal link has "#session=" in it.';
  try {
    const next = await exchange(apiPath, linkToken);
    if (next.account.id !== session.account.id) return `This link is for another account, ${next.account.name}.`;
    keepLinkToken(linkToken);
    bearer.set(next.token, linkToken);
    return { name: 'open', session: next, apiPath };
  } catch (error) {
    const failure = toFailure(error);
    return failure.kind === 'session' ? 'This link has expired, too.' : failure.message;
  }
}
