import { keepPreviousData, QueryClient, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useSearch } from 'wouter/use-browser-location';
import { ApiFailure } from '../api/failure.js';

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: ApiFailure;
  }
}

const transient = new Set<ApiFailure['kind']>(['busy', 'unavailable']);

/** Creates the cache of API responses. Queries and mutations must reject only with ApiFailures, as declared above. */
export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (count, failure) => count < 2 && failure instanceof ApiFailure && transient.has(failure.kind),
        // Without a network, a query fails at once, and the page says why.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });

type CursorPage<T> = { data: T[]; meta: { next_cursor: string | null; prev_cursor: string | null } };

export type CursorPages<T> = {
  query: UseQueryResult<CursorPage<T>, ApiFailure>;
  /** Undefined if there is no such page. */
  goNext: (() => void) | undefined;
  goPrevious: (() => void) | undefined;
  /** Undefined on the first page. */
  goFirst: (() => void) | undefined;
};

type CursorPagesOptions<T> = {
  /** Identifies the list and its filters in the query cache. */
  key: readonly unknown[];
  fetchPage: (cursor: string | undefined, signal: AbortSignal) => Promise<CursorPage<T>>;
  /** How often the page is refetched. A function gets the rows of the page. */
  refetchMs?: number | false | ((rows: T[] | undefined) => number);
  isEnabled?: boolean;
};

/** A list with cursor pagination. The cursor is in the URL, so that the back button and a reload work. */
export function useCursorPages<T>({
  key,
  fetchPage,
  refetchMs,
  isEnabled = true,
}: CursorPagesOptions<T>): CursorPages<T> {
  const parameters = new URLSearchParams(useSearch());
  const [path, navigate] = useLocation();
  const cursor = parameters.get('cursor') ?? undefined;
  const query = useQuery({
    queryKey: [...key, { cursor }],
    queryFn: ({ signal }) => fetchPage(cursor, signal),
    placeholderData: keepPreviousData,
    refetchInterval:
      typeof refetchMs === 'function' ? ({ state }) => refetchMs(state.data?.data) : (refetchMs ?? false),
    enabled: isEnabled,
  });
  const goTo = (next: string | null | undefined) => {
    if (next === null || next === undefined) return undefined;
    return () => {
      if (next === '') parameters.delete('cursor');
      else parameters.set('cursor', next);
      const text = parameters.toString();
      navigate(text === '' ? path : `${path}?${text}`);
    };
  };
  const meta = query.data?.meta;
  return {
    query,
    goNext: goTo(meta?.next_cursor),
    goPrevious: goTo(meta?.prev_cursor),
    goFirst: goTo(cursor === undefined ? undefined : ''),
  };
}
