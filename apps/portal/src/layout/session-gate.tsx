import { useEffect, useRef } from 'react';
import type { ApiFailure } from '../api/failure.js';
import { Button } from '../components/button.js';
import { useApplyColorScheme } from '../preferences/color-scheme.js';

type SessionErrorPageProps = {
  /** Absent if the URL has no session. */
  failure?: ApiFailure;
  returnUrl?: string | null;
  onRetry?: () => void;
};

/** The page for a session that is missing, has ended, or cannot be opened at the moment. */
export function SessionErrorPage({ failure, returnUrl, onRetry }: SessionErrorPageProps) {
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
          On this machine, <code>npm run --silent ringback -- portal-link --account ID</code> prints a new link.
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
