import { QueryClient } from '@tanstack/react-query';
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
