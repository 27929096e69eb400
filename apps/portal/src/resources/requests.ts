import {
  keepPreviousData,
  QueryClient,
  type QueryKey,
  useMutation,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useSearch } from 'wouter/use-browser-location';
import { ApiFailure } from '../api/failure.js';
import { useAnnounce } from '../components/announcer.js';

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

type Action = {
  send: () => Promise<unknown>;
  /** Announced after a success. After a failure, its message is. */
  done: string;
  /** The keys of the queries whose data the request changes. */
  changes: readonly QueryKey[];
};

/** A request that a button sends, and that has no other input. */
export function useAction({ send, done, changes }: Action) {
  const announce = useAnnounce();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: () => announce(done),
    onError: (failure) => announce(failure.message),
    onSettled: () => Promise.all(changes.map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
}

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
  /** Fetches the page at `position`, query parameters of the API. */
  fetchPage: (position: { cursor?: string }, signal: AbortSignal) => Promise<CursorPage<T>>;
  /** How often the page is refetched. A function gets the rows of the page. */
  refetchMs?: number | false | ((rows: T[] | undefined) => number);
};

/** A list with cursor pagination. The cursor is in the URL, so that the back button and a reload work. */
export function useCursorPages<T>({ key, fetchPage, refetchMs }: CursorPagesOptions<T>): CursorPages<T> {
  const parameters = new URLSearchParams(useSearch());
  const [path, navigate] = useLocation();
  const cursor = parameters.get('cursor');
  const position = cursor === null ? {} : { cursor };
  const query = useQuery({
    queryKey: [...key, position],
    queryFn: ({ signal }) => fetchPage(position, signal),
    placeholderData: keepPreviousData,
    refetchInterval:
      typeof refetchMs === 'function' ? ({ state }) => refetchMs(state.data?.data) : (refetchMs ?? false),
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
    goFirst: goTo(cursor === null ? null : ''),
  };
}
