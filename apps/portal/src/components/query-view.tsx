import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ApiFailure } from '../api/failure.js';
import { useIsOnline } from '../data/use-is-online.js';
import { ErrorState } from './states.js';

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
