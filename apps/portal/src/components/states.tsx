import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useSyncExternalStore } from 'react';
import type { ApiFailure } from '../api/failure.js';
import { Button } from './button.js';

type QueryViewProps<T> = {
  query: UseQueryResult<T, ApiFailure>;
  /** Shown until the first data arrives, with the same height. */
  skeleton: ReactNode;
  children: (data: T) => ReactNode;
};

/**
 * Shows the data of a query, with a note if the last refresh failed. Until there is data, it shows the skeleton or the
 * error.
 */
export function QueryView<T>({ query, skeleton, children }: QueryViewProps<T>) {
  const isOnline = useIsOnline();
  if (query.data === undefined) {
    if (query.error) return <ErrorState failure={query.error} onRetry={() => void query.refetch()} />;
    return (
      <div aria-busy="true">
        <span className="visually-hidden">Loading</span>
        {skeleton}
      </div>
    );
  }
  return (
    <>
      {query.error && query.error.kind !== 'session' && isOnline && (
        <p className="stale" role="status">
          The data could not be refreshed: {query.error.message}
        </p>
      )}
      {children(query.data)}
    </>
  );
}

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

type ErrorStateProps = { failure: ApiFailure; onRetry?: () => void };

/** Shows why data could not be loaded, and a button that tries again. */
export function ErrorState({ failure, onRetry }: ErrorStateProps) {
  return (
    <div className="state" role="alert">
      <p className="state-title">{titles[failure.kind] ?? 'Something went wrong'}</p>
      <p>{failure.message}</p>
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

const subscribe = (onChange: () => void) => {
  window.addEventListener('online', onChange);
  window.addEventListener('offline', onChange);
  return () => {
    window.removeEventListener('online', onChange);
    window.removeEventListener('offline', onChange);
  };
};

/** Whether the browser has a network connection. */
export const useIsOnline = () => useSyncExternalStore(subscribe, () => navigator.onLine);

type ProgressProps = { label: string; value: number; max: number | null };

/** The progress of a long task. If `max` is null, the bar shows only that the task is running. */
export function Progress({ label, value, max }: ProgressProps) {
  return max === null ? <progress aria-label={label} /> : <progress aria-label={label} value={value} max={max} />;
}
