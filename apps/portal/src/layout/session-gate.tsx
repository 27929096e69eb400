import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { ApiFailure } from '../api/failure.js';
import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { TextField } from '../components/fields.js';
import { returnUrlOf } from '../session/link.js';
import { PreferencesProvider, useApplyColorScheme } from '../session/preferences.js';
import { SessionContext, useHostLinks, useSessionState } from '../session/session.js';

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

type SessionEndedDialogProps = {
  isOpen: boolean;
  returnUrl: string | null;
  /** Resolves with a problem to show if the link cannot be used, else with undefined. */
  onLink: (link: string) => Promise<string | undefined>;
};

/** Tells the user that the session has ended, and resumes with a new link. The page below keeps its input. */
function SessionEndedDialog({ isOpen, returnUrl, onLink }: SessionEndedDialogProps) {
  const [link, setLink] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(await onLink(link));
    setBusy(false);
    setLink('');
  };
  return (
    <Dialog title="Your session has ended" isOpen={isOpen}>
      <p>Your input is still here. Get a new portal link and paste it to continue.</p>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <TextField
          label="New portal link"
          value={link}
          onChange={setLink}
          errors={problem === undefined ? [] : [problem]}
          autoComplete="off"
          spellCheck={false}
        />
        <div className="actions">
          <Button type="submit" variant="primary" isBusy={isBusy}>
            Continue
          </Button>
          {returnUrl && (
            <a className="button" href={returnUrl} target="_blank" rel="noreferrer">
              Get a new link
            </a>
          )}
        </div>
      </form>
    </Dialog>
  );
}

type SessionErrorPageProps = {
  /** Absent if the URL has no session. */
  failure?: ApiFailure;
  returnUrl?: string | null;
  onRetry?: () => void;
};

/** The page for a session that is missing, has ended, or cannot be opened at the moment. */
function SessionErrorPage({ failure, returnUrl, onRetry }: SessionErrorPageProps) {
  const { title, text } = describeProblem(failure);
  const heading = useRef<HTMLHeadingElement>(null);
  // Without a session there is no theme.
  useApplyColorScheme({ theme: null, choice: 'system' });
  useEffect(() => {
    document.title = title;
    heading.current?.focus();
  }, [title]);
  const canRetry = failure !== undefined && failure.kind !== 'session' && onRetry !== undefined;
  return (
    <main className="session-error-page">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <p>{text}</p>
      {isOnThisMachine && failure?.kind !== 'offline' && (
        <p>
          On this machine, the command <code>portal-link --account ID</code> prints a new link.
        </p>
      )}
      {canRetry && <Button onClick={onRetry}>Try again</Button>}
      {returnUrl && (
        <a className="button" href={returnUrl} target="_top" rel="noreferrer">
          Get a new link
        </a>
      )}
    </main>
  );
}

/** Whether the service runs on the user's own machine, as under `npm start`. */
const isOnThisMachine = ['localhost', '127.0.0.1', '[::1]'].includes(window.location.hostname);

function describeProblem(failure: ApiFailure | undefined): { title: string; text: string } {
  if (!failure) {
    const text =
      'A link works once, and reloading the page ends the session. Get a new link from your messaging platform.';
    return { title: 'Open the portal with a link', text };
  }
  if (failure.kind !== 'session') return { title: 'The portal cannot be opened', text: failure.message };
  const text =
    'The link has expired, was closed or has been used: a link works once. Get a new one where you got this one.';
  return { title: 'Your session has ended', text };
}
