import { createContext, useContext } from 'react';
import type { Api } from '../api/client.js';
import type { PortalSession, Scope } from '../api/schemas.js';

export type OpenSession = {
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
