import createFetchClient, { type Client } from 'openapi-fetch';
import type { paths } from './generated/openapi.js';

export type ClientSettings = {
  /** The base URL with its version, such as `https://ringback.example/api/v2`. */
  baseUrl: string;
  /** An access token of the account, or a platform token for `POST /events`. */
  token: string;
};

export type RingbackClient = Client<paths>;

/**
 * Creates a typed client of the API. `client.GET('/developer/webhooks/{id}', { params: { path: { id } } })` resolves
 * with `data` or `error`, and rejects when there is no response or the body of a successful one is not JSON. The client
 * does not retry.
 */
export function createClient({ baseUrl, token }: ClientSettings): RingbackClient {
  if (!isUrl(baseUrl)) throw new TypeError('baseUrl is not a URL');
  if (token === '') throw new TypeError('token is empty');
  return createFetchClient<paths>({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: { Authorization: `Bearer ${token}` },
  });
}

function isUrl(text: string): boolean {
  try {
    return new URL(text).href !== '';
  } catch {
    return false;
  }
}

/** A response with an error status or without the expected body. */
export class ApiError extends Error {
  override name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** The error messages of each field, for a 422. */
  readonly errors: Record<string, string[]>;

  constructor(status: number, { message, errors = {} }: { message: string; errors?: Record<string, string[]> }) {
    super(message);
    this.status = status;
    this.errors = errors;
  }
}

type Result<T> = { data?: T; error?: unknown; response: Response };

/**
 * Resolves with the body of a successful response. Throws an ApiError for an error status or an empty body, and another
 * error when there is no response or the body of a successful one is not JSON.
 */
export async function unwrap<T>(request: Promise<Result<T>>): Promise<T> {
  const { data, error, response } = await request.catch((cause: unknown) => {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new Error('the response is not JSON: check the base URL, compare the versions of client and server', {
      cause,
    });
  });
  if (response.ok && data !== undefined) return data;
  const { status } = response;
  const path = isUrl(response.url) ? new URL(response.url).pathname : 'Ringback';
  const message = `unexpected response from ${path} (status ${status}): compare the versions of client and server`;
  throw new ApiError(status, isErrorBody(error) ? error : { message });
}

const isErrorBody = (body: unknown): body is { message: string; errors?: Record<string, string[]> } =>
  typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string';
