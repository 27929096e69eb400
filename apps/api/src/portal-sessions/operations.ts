import { z } from 'zod';
import { portalLink } from '@ringback/process';
import { tagOperations } from '../openapi/operation.js';
import { exampleWebhook } from '../webhooks/operations.js';
import { exchangeSchema, newSessionSchema } from './input.js';
import { openedSessionSchema, sessionResource, sessionSchema } from './resource.js';

/** The session that all examples show, with its link token and its bearer token. */
export const exampleSession = {
  id: '7c0b9f33-1e8a-4a57-8c1e-0123456789ab',
  linkToken: 'rb_portal_CTFKE8C5iyJgdS7DUv6ySbm9xVhHtJ1a',
  bearer: 'rb_session_K0yfCs4lzUcGn7Qe2XhJwTt1aVb8d5MRpLgZr3oEi6A',
  accountId: exampleWebhook.accountId,
  accountName: 'example',
  scopes: ['read' as const],
  webhookIds: [exampleWebhook.id],
  portalUserName: 'Ann Other',
  maskPhoneNumbers: true,
  theme: { name: 'Acme messages', accent: '#0a7cff' },
  returnUrl: 'https://example.com/messages',
  expiresAt: new Date('2026-01-15T09:45:00Z'),
};

const { id, linkToken, accountId: account_id, webhookIds: webhook_ids, returnUrl: return_url } = exampleSession;
const { scopes, portalUserName: actor, maskPhoneNumbers: mask, theme } = exampleSession;

export const portalSessionOperations = tagOperations('Portal', [
  {
    id: 'createPortalSession',
    route: 'POST /portal-sessions',
    callerKind: 'sessionCreator',
    summary: 'Open a session of the portal',
    description:
      'The url is for one person and works once. It leads to the portal, which shows the webhooks, deliveries and statistics of ' +
      'the account. A platform token can open sessions for any account. An access token can open sessions for its ' +
      'own account, with at most its own scopes (403 otherwise). A session also ends when the token that opened ' +
      'it is revoked. 404 for an unknown account; 409 when the account has 1,000 sessions that have not ended.',
    body: newSessionSchema,
    response: { message: 'Portal session created', data: openedSessionSchema },
    errors: [404, 409],
    example: {
      body: { account_id, scopes, webhook_ids, expires_in: 900, actor, mask, theme, return_url },
      data: { id, url: portalLink('http://localhost:3000', linkToken), expires_at: '2026-01-15T09:45:00.000000Z' },
    },
  },
  {
    id: 'exchangePortalSession',
    route: 'POST /portal-sessions/exchange',
    callerKind: 'anyone',
    summary: 'Exchange the link token of a session for its bearer token',
    description:
      'The portal uses this operation, because it has no other token. A link token can be exchanged once. 401 for an ' +
      'unknown link token, for one that has been used, and for a session that has ended; the last two responses have ' +
      'the `return_url` of the session.',
    body: exchangeSchema,
    response: { message: 'Portal session', data: sessionSchema },
    errors: [401, 413, 415, 503],
    example: { body: { session: linkToken }, data: sessionResource(exampleSession) },
  },
  {
    id: 'endPortalSession',
    route: 'DELETE /portal-sessions/{id}',
    callerKind: 'sessionCreator',
    summary: 'End a session of the portal',
    description:
      'The bearer token is refused at once. A session that has already ended does not change. A platform token ' +
      'can end any session. An access token can end the sessions of its account that it opened itself, and those ' +
      'with at most its own scopes (403 otherwise).',
    path: { id: z.uuid().describe('The id of a session.') },
    response: { message: 'Portal session ended', data: z.array(z.never()) },
    example: { path: { id }, data: [] },
  },
]);
