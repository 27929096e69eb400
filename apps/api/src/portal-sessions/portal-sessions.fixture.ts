import { type Client, type TestApi } from '../api.fixture.js';

export type OpenedSession = { id: string; url: string; expires_at: string };

/** Opens a session with the token of a client, and returns the session. */
export async function openSession(creator: Client, body: object = {}): Promise<OpenedSession> {
  const response = await creator.post('/portal-sessions', body).expect(200);
  return response.body.data;
}

export const linkTokenOf = ({ url }: OpenedSession): string => new URL(url).hash.replace('#session=', '');

/** Exchanges the token of a link, as the page does. */
export const exchange = (api: TestApi, linkToken: unknown) =>
  api.raw.post('/api/v2/portal-sessions/exchange').send({ session: linkToken });

/** Exchanges the link of a session, and returns a client with its bearer token. */
export async function enter(api: TestApi, session: OpenedSession): Promise<Client> {
  const { body } = await exchange(api, linkTokenOf(session)).expect(200);
  return api.clientOf(body.data.token);
}

/** Makes a session expire now. */
export async function expire({ db }: TestApi, { id }: OpenedSession): Promise<void> {
  await db.pool.query('UPDATE portal_sessions SET expires_at = now() WHERE id = $1', [id]);
}
