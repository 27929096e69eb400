import type { paths } from '@ringback/client';
import createFetchClient from 'openapi-fetch';
import { unwrap } from '../api/client.js';
import type { ApiFailure } from '../api/failure.js';
import type { PortalSession } from '../api/schemas.js';

/** Exchanges a link token for its session, which has a bearer token. This works once. */
export async function exchangeLinkToken(apiPath: string, linkToken: string): Promise<PortalSession> {
  const api = createFetchClient<paths>({ baseUrl: apiPath });
  const { data } = await unwrap(api.POST('/portal-sessions/exchange', { body: { session: linkToken } }));
  return data;
}

/** The `return_url` in the error of an ended session or a used link, if it is an http or https URL. */
export function returnUrlOf({ body }: ApiFailure): string | null {
  const url = body.return_url;
  return typeof url === 'string' && /^https?:\/\//i.test(url) ? url : null;
}
