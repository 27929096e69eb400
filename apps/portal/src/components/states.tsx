import type { ReactNode } from 'react';
import type { ApiFailure } from '../api/failure.js';
import { Button } from './button.js';

/** Shows that there is no data, why, and what to do. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="state">
      <p className="state-title">{title}</p>
      {children}
    </div>
  );
}

/** Shows that the session lacks a permission. `what` completes the sentence "This session may not …". */
export function NoPermission({ what }: { what: string }) {
  return (
    <div className="state">
      <p className="state-title">You do not have permission</p>
      <p>This session may not {what}. Ask the person who gave you the link for one with this permission.</p>
    </div>
  );
}

const titles: Partial<Record<ApiFailure['kind'], string>> = {
  offline: 'You are offline',
  forbidden: 'You do not have permission',
  missing: 'Not found',
  invalid: 'This cannot be shown',
  busy: 'Too many requests',
  unavailable: 'The service is unavailable',
  session: 'Your session has ended',
};

type ErrorStateProps = { failure: ApiFailure; onRetry?: () => void; children?: ReactNode };

/** Shows why data could not be loaded, and a button that tries again. `children` follow the message. */
export function ErrorState({ failure, onRetry, children }: ErrorStateProps) {
  return (
    <div className="state" role="alert">
      <p className="state-title">{titles[failure.kind] ?? 'Something went wrong'}</p>
      <p>{failure.message}</p>
      {children}
      {onRetry && failure.kind !== 'missing' && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** A placeholder for content that is loading. With the height of the content, nothing moves when it arrives. */
export function Skeleton({ lines = 3, height }: { lines?: number; height?: number | string }) {
  if (height !== undefined) return <div className="skeleton" style={{ height }} aria-hidden="true" />;
  return (
    <div aria-hidden="true">
      {Array.from({ length: lines }, (_, index) => (
        <div className="skeleton line" key={index} />
      ))}
    </div>
  );
}
