import createClient, { type Client } from 'openapi-fetch';
import type { paths } from './openapi.js';

export type ClientSettings = {
  /** With the version, such as `https://ringback.example/api/v2`. */
  baseUrl: string;
  /** An access token of the account. */
  token: string;
};

export type RingbackClient = Client<paths>;

/**
 * The management API, typed: `client.GET('/developer/webhooks/{id}', { params: { path: { id } } })` resolves with `data`
 * or `error`, as the API's document has them, and rejects when there is no answer. Repeats nothing by itself.
 */
export function openClient({ baseUrl, token }: ClientSettings): RingbackClient {
  if (!isUrl(baseUrl)) throw new TypeError('baseUrl is not a URL');
  if (token === '') throw new TypeError('token is empty');
  return createClient<paths>({
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

/** An answer that is no success. */
export class ApiError extends Error {
  override name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** What is wrong with each field, for a 422. */
  readonly errors: Record<string, string[]>;

  constructor(status: number, { message, errors = {} }: { message: string; errors?: Record<string, string[]> }) {
    super(message);
    this.status = status;
    this.errors = errors;
  }
}

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** The body of a success; throws an ApiError for any other answer. */
export async function unwrap<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (response.ok && data !== undefined) return data;
  throw new ApiError(response.status, isErrorBody(error) ? error : { message: `the answer was ${response.status}` });
}

const isErrorBody = (body: unknown): body is { message: string; errors?: Record<string, string[]> } =>
  typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string';
