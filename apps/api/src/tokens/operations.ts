import { z } from 'zod';
import type { AccessToken } from '@ringback/ledger';
import { tagOperations } from '../openapi/operation.js';
import { newAccessTokenSchema } from './input.js';
import { accessTokenResource, accessTokenSchema, createdAccessTokenSchema } from './resource.js';

/** The access token that the examples show. */
export const exampleToken: Omit<AccessToken, 'accountId'> = {
  id: '5d1f6c1e-8a57-4c0b-9f33-0123456789ab',
  scopes: ['read'],
  createdAt: new Date('2026-01-15T09:29:00Z'),
  revokedAt: null,
};

/** Another access token, with all scopes, for the example of the list. */
const fullToken: typeof exampleToken = {
  ...exampleToken,
  id: '0b9f33c1-5d1f-4a57-8c1e-0123456789ab',
  scopes: ['read', 'write', 'replay'],
};

export const tokenOperations = tagOperations('Access tokens', [
  {
    id: 'listTokens',
    route: 'GET /developer/tokens',
    scope: 'read',
    summary: 'List access tokens',
    description: 'First the tokens that are not revoked, then the most recently revoked ones; at most 200 in all.',
    response: { message: 'Access tokens', data: z.array(accessTokenSchema) },
    example: { data: [accessTokenResource(fullToken), accessTokenResource(exampleToken)] },
  },
  {
    id: 'createToken',
    route: 'POST /developer/tokens',
    scope: 'write',
    summary: 'Create an access token',
    description:
      'Only this response shows the token itself. 403 for a scope that the caller does not have. An account may ' +
      'have at most 100 access tokens that are not revoked.',
    body: newAccessTokenSchema,
    response: { message: 'Access token created', data: createdAccessTokenSchema },
    example: {
      body: { scopes: ['read'] },
      data: { ...accessTokenResource(exampleToken), token: 'rb_access_CTFKE8C5iyJgdS7DUv6ySbm9xVhHtJ1a' },
    },
  },
  {
    id: 'revokeToken',
    route: 'DELETE /developer/tokens/{id}',
    scope: 'write',
    summary: 'Revoke an access token',
    description: 'The token is refused at once, and the portal sessions that it opened end.',
    path: { id: z.uuid().describe('The id of an access token of the account.') },
    response: { message: 'Access token revoked', data: z.array(z.never()) },
    example: { path: { id: exampleToken.id }, data: [] },
  },
]);
