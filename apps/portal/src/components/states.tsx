import type { ReactNode } from 'react';
import type { ApiFailure } from '../data/api-failure.js';
import { Button } from './button.js';

/** Says that there is nothing, why, and what to do. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="state">
      <p className="state-title">{title}</p>
      {children}
    </div>
  );
}

/** Says that the session may not see or do this. */
export function NoPermission({ what }: { what: string }) {
  return (
    <div className="state">
      <p className="state-title">You have no permission</p>
      <p>This session may not {what}. Ask the person who gave you the link for one that may.</p>
    </div>
  );
}

const titles: Partial<Record<ApiFailure['kind'], string>> = {
  offline: 'You are offline',
  forbidden: 'You have no permission',
  missing: 'Not found',
  invalid: 'This cannot be shown',
  busy: 'Too many requests',
  unavailable: 'The service is unavailable',
  session: 'Your session has ended',
};

type ErrorStateProps = { failure: ApiFailure; onRetry?: () => void; children?: ReactNode };

/** Shows why something could not be loaded, with the words of the API. */
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

/** Reserves the space of content that is loading, so that nothing moves when it arrives. */
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
