import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useHostLinks } from '../embedding/use-host-links.js';
import { SessionErrorPage } from '../layout/session-gate.js';
import { returnUrlOf } from './exchange-link-token.js';
import { PreferencesProvider } from './preferences.js';
import { SessionContext } from './session-context.js';
import { SessionEndedDialog } from './session-ended-dialog.js';
import { useSessionState } from './session.js';

/** Shows its children while a session is open. When the session ends, they stay on the page below a dialog. */
export function SessionGate({ children }: { children: ReactNode }) {
  const { state, api, hasEnded, retry, resume } = useSessionState();
  const queries = useQueryClient();
  const session = state.name === 'open' ? state.session : null;
  const apiPath = state.name === 'open' ? state.apiPath : '';
  const open = useMemo(() => session && { session, api, apiPath }, [session, api, apiPath]);

  const resumeAndRefresh = async (link: string) => {
    const problem = await resume(link);
    if (problem === undefined) await queries.invalidateQueries();
    return problem;
  };
  useHostLinks({ hasEnded, resume: resumeAndRefresh });

  if (state.name === 'opening') return <div className="opening" aria-busy="true" />;
  if (state.name === 'missing') return <SessionErrorPage />;
  if (state.name === 'failed') {
    return <SessionErrorPage failure={state.failure} returnUrl={returnUrlOf(state.failure)} onRetry={retry} />;
  }
  if (!open) return null;
  return (
    <SessionContext value={open}>
      <PreferencesProvider isMasked={open.session.mask} theme={open.session.theme}>
        {children}
        <SessionEndedDialog isOpen={hasEnded} returnUrl={open.session.return_url} onLink={resumeAndRefresh} />
      </PreferencesProvider>
    </SessionContext>
  );
}
