import type { paths } from '@ringback/client';
import createFetchClient, { type Client } from 'openapi-fetch';
import { ApiFailure, isRecord, OfflineFailure } from './failure.js';

export type Api = Client<paths>;

type ApiDeps = {
  /** The path of the API, such as `/api/v2`. */
  path: string;
  getToken: () => string;
  /** Called for each 401. */
  onUnauthenticated: () => void;
};

/** Creates the typed client of the management API. Pass its calls to `unwrap`. */
export function createApi({ path, getToken, onUnauthenticated }: ApiDeps): Api {
  const api = createFetchClient<paths>({
    baseUrl: path,
    querySerializer: { array: { style: 'form', explode: false } },
  });
  api.use({
    onRequest({ request }) {
      request.headers.set('Authorization', `Bearer ${getToken()}`);
      return request;
    },
    onResponse({ response }) {
      if (response.status === 401) onUnauthenticated();
    },
  });
  return api;
}

type Result<T> = { data?: T; error?: unknown; response: Response };

/**
 * Resolves with the body of a successful response. Rejects with the original AbortError if the request was aborted, and
 * with an ApiFailure in all other cases.
 */
export async function unwrap<T>(call: Promise<Result<T>>): Promise<T> {
  const { data, error, response } = await call.catch((cause: unknown) => {
    throw isAbort(cause) ? cause : new OfflineFailure();
  });
  if (response.ok && data !== undefined) return data;
  throw new ApiFailure(response.status, isRecord(error) ? error : {});
}

const isAbort = (cause: unknown) => cause instanceof DOMException && cause.name === 'AbortError';

const delaysMs = [1_000, 2_000, 5_000, 15_000, 30_000];

/**
 * Retries a request up to 5 times, after growing delays, while the API is overloaded or unavailable. Rejects if the
 * signal is aborted during a delay.
 */
export async function retryWhenBusy<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (const ms of delaysMs) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ApiFailure && (error.kind === 'busy' || error.kind === 'unavailable'))) throw error;
    }
    await wait(ms, signal);
  }
  return request();
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
