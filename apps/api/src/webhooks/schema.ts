import { z } from 'zod';
import type { NewWebhook, Webhook, WebhookUpdate } from '@ringback/ledger';
import { type AllowList, checkCallbackUri, checkTemplate, type JsonObject, parseAllowList } from '@ringback/rules';
import { withExactNumbers } from '../http/body.js';
import { checkedBy, nullableHeaderValue, requiredText, validate } from '../http/input.js';
import { exampleIds, tagOperations } from '../http/operation.js';
import { exampleNumberedPage, numberedPageQuery, numberedPageSchemas } from '../http/pages.js';
import { emptyList, formatTimestamp, timestampSchema } from '../http/response.js';
import { anyObjectOrNull } from '../openapi/schemas.js';
import { webhookFilterQuery } from './filter.js';
import { tlsInput, tlsOutput } from './tls.js';
import { warningFields } from './warnings.js';

const activeTexts = ['1', 'true'];

/** `""` and null count as absent, `true` and `false` as 1 and 0: clients written with Laravel send them. */
const status = z
  .literal([0, 1, '0', '1', true, false, 'true', 'false', ''], 'The selected status is invalid.')
  .nullish()
  .transform((value) => ((value ?? '') === '' ? undefined : activeTexts.includes(String(value))))
  .meta({ documentedAs: { type: 'integer', enum: [1, 0] } });

const payload = checkedBy<JsonObject | null>((value) => (value === null ? [] : checkTemplate(value))).optional();

const rateRange = 'The rate limit field must be an integer between 1 and 1000.';
const rateLimit = z.int(rateRange).min(1, rateRange).max(1_000, rateRange).nullish();

const createUriSchema = (allowList: AllowList, storedUri?: string) =>
  z
    .string({
      error: ({ input }) => ((input ?? '') === '' ? 'The uri field is required.' : 'The uri field must be a string.'),
    })
    .trim()
    .check(({ value, issues }) => {
      if (value !== '' && value === storedUri?.trim()) return;
      const messages = value === '' ? ['The uri field is required.'] : checkCallbackUri(value, allowList);
      for (const message of messages) issues.push({ code: 'custom', message, input: value });
    });

/** The fields that may contain placeholders. `storedUri` is not checked. */
export const templateFields = (allowList: AllowList, storedUri?: string) => ({
  uri: createUriSchema(allowList, storedUri).describe(
    'An absolute http or https URL of at most 8,192 characters after trimming. Path segments and values of query ' +
      'parameters may have placeholders. A fragment is kept, but not sent. A user and password are sent as Basic authentication, ' +
      'and shown as `********`; with that, an edit keeps them.',
  ),
  payload: payload.meta({
    type: ['object', 'null'],
    description: 'The body template. Null in an edit removes it.',
    documentedAs: anyObjectOrNull,
  }),
});

/** What an edit may repeat although the API refuses it: an import may have stored it. */
type Stored = Pick<Webhook, 'name' | 'uri'>;

const createUpdateSchema = (allowList: AllowList, stored?: Stored) =>
  z.object({
    name: requiredText('name', 255, stored?.name).describe('1 to 255 characters after trimming.'),
    ...templateFields(allowList, stored?.uri),
    status: status.describe(
      '1 active, 0 inactive. `"1"`, `"0"`, true and false are accepted too. When absent, null or empty, 1 at creation and ' +
        'unchanged in an edit.',
    ),
    secret: nullableHeaderValue('secret', 255)
      .optional()
      .describe('The Bearer token of callbacks. Empty and null mean none.'),
    signing: z
      .boolean('The signing field must be true or false.')
      .optional()
      .describe(
        'Whether callbacks carry `Signature` and `webhook-signature`. When absent, true at creation and unchanged ' +
          'in an edit.',
      ),
    rate_limit: rateLimit.describe(
      'The maximum number of callbacks per second; null means no limit. When absent in an edit, unchanged.',
    ),
    tls: tlsInput,
  });

const createCreationSchema = (allowList: AllowList) =>
  createUpdateSchema(allowList).extend({
    token: nullableHeaderValue('token', 255).optional().describe('The token of the verification.'),
  });

const newWebhookSchema = createCreationSchema(parseAllowList('')).meta({ id: 'WebhookInput' });
const webhookUpdateSchema = createUpdateSchema(parseAllowList('')).meta({ id: 'WebhookUpdate' });
const webhookPatchSchema = createUpdateSchema(parseAllowList('')).partial().meta({ id: 'WebhookPatch' });

export const newWebhookFields = Object.keys(newWebhookSchema.shape);
/** The fields of an edit. `token` is ignored (docs/reference/api.md). */
export const editFields = [...Object.keys(webhookUpdateSchema.shape), 'token'];

export function readNewWebhook(body: unknown, allowList: AllowList): NewWebhook {
  const input = validate(createCreationSchema(allowList), withExactNumbers(body, 'payload'));
  return {
    name: input.name,
    uri: input.uri,
    active: input.status ?? true,
    secret: input.secret ?? null,
    verificationCode: input.token ?? null,
    bodyTemplate: input.payload ?? null,
    signing: input.signing ?? true,
    rateLimit: input.rate_limit ?? null,
    tlsCa: input.tls?.ca ?? null,
  };
}

/**
 * Reads the body of an edit. An absent optional field keeps its value. An empty or null `secret`, and null for
 * `payload`, `rate_limit` and `tls`, remove the value.
 */
export const readWebhookUpdate = (body: unknown, allowList: AllowList, stored: Stored): WebhookUpdate =>
  toWebhookUpdate(validate(createUpdateSchema(allowList, stored), withExactNumbers(body, 'payload')));

/** Reads the body of an edit as `readWebhookUpdate` does, but the name and the uri may be absent too. */
export const readWebhookPatch = (body: unknown, allowList: AllowList, stored: Stored): WebhookUpdate =>
  toWebhookUpdate(validate(createUpdateSchema(allowList, stored).partial(), withExactNumbers(body, 'payload')));

type EditInput = z.output<typeof webhookPatchSchema>;

function toWebhookUpdate(input: EditInput): WebhookUpdate {
  return {
    ...(input.name === undefined ? {} : { name: input.name }),
    ...(input.uri === undefined ? {} : { uri: input.uri }),
    ...(input.status === undefined ? {} : { active: input.status }),
    ...(input.secret === undefined ? {} : { secret: input.secret }),
    ...(input.payload === undefined ? {} : { bodyTemplate: input.payload }),
    ...(input.signing === undefined ? {} : { signing: input.signing }),
    ...(input.rate_limit === undefined ? {} : { rateLimit: input.rate_limit }),
    ...(input.tls === undefined ? {} : { tlsCa: input.tls?.ca ?? null }),
  };
}

const webhookFields = z.object({
  id: z.uuid(),
  name: z.string(),
  uri: z
    .string()
    .describe('The address as it was given, with its placeholders. `********` stands for a user and password.'),
  secret: z
    .string()
    .nullable()
    .describe(
      'The Bearer token of callbacks. When it is null and not in `unreadable`, callbacks carry the callback token ' +
        'of the account.',
    ),
  verification_code: z.string().nullable().describe('The `token` that was given at creation.'),
  status: z.literal(['1', '0']).describe('"1" active, "0" inactive.'),
  created_at: timestampSchema,
  updated_at: timestampSchema,
  payload: z.unknown().optional().meta({ type: 'object', description: 'The body template; present when set.' }),
  signing: z.literal(false).optional().describe('False when callbacks are not signed, otherwise absent.'),
  rate_limit: z.int().optional().describe('The maximum number of callbacks per second; present when set.'),
  tls: tlsOutput,
  paused: z
    .object({
      since: timestampSchema,
      reason: z
        .enum(['failing', 'gone'])
        .describe('`failing`: all its callbacks failed for a long time. `gone`: it responded with 410.'),
    })
    .meta({ id: 'Pause' })
    .optional()
    .describe('Present while the webhook is paused. Its deliveries wait until the pause ends.'),
  deleted_at: timestampSchema.optional().describe('Present when the webhook is deleted.'),
  unreadable: z
    .array(z.enum(['secret', 'verification_code', 'uri']))
    .optional()
    .describe(
      'The fields that are null because they cannot be decrypted with the keys of the operator; present when ' +
        'there are any. `uri` is not null, but its user and password cannot be decrypted.',
    ),
});

const webhookSchema = webhookFields.meta({ id: 'Webhook' });
/** The response to `GET /developer/webhooks/{id}`, where `status` is a number. */
const webhookDetailSchema = webhookFields
  .extend({ status: z.literal([1, 0]).describe('1 active, 0 inactive.') })
  .meta({ id: 'WebhookWithNumericStatus' });

type WebhookResource = z.infer<typeof webhookSchema> | z.infer<typeof webhookDetailSchema>;

/**
 * A webhook in the format of the API. `status` is a number in the response of `GET /developer/webhooks/{id}` and text
 * in all others (docs/reference/api.md#compatible-oddities). Additional fields are present only if they differ from
 * their defaults.
 */
export function webhookResource(webhook: Webhook, statusAs: 'text' | 'number' = 'text'): WebhookResource {
  const [text, number] = webhook.active ? (['1', 1] as const) : (['0', 0] as const);
  return {
    id: webhook.id,
    name: webhook.name,
    uri: webhook.uri,
    secret: webhook.secret,
    verification_code: webhook.verificationCode,
    status: statusAs === 'text' ? text : number,
    created_at: formatTimestamp(webhook.createdAt),
    updated_at: formatTimestamp(webhook.updatedAt),
    ...(webhook.bodyTemplate === null ? {} : { payload: webhook.bodyTemplate }),
    ...(webhook.signing ? {} : { signing: false }),
    ...(webhook.rateLimit === null ? {} : { rate_limit: webhook.rateLimit }),
    ...(webhook.tlsCa === null ? {} : { tls: { ca: webhook.tlsCa } }),
    ...pauseOf(webhook),
    ...(webhook.deletedAt === null ? {} : { deleted_at: formatTimestamp(webhook.deletedAt) }),
    ...(webhook.unreadable.length === 0 ? {} : { unreadable: webhook.unreadable.map((field) => apiFieldNames[field]) }),
  };
}

const apiFieldNames = { secret: 'secret', verificationCode: 'verification_code', userinfo: 'uri' } as const;

function pauseOf({ pausedAt, pauseReason }: Webhook): Pick<WebhookResource, 'paused'> {
  if (pausedAt === null) return {};
  return { paused: { since: formatTimestamp(pausedAt), reason: pauseReason === 'gone' ? 'gone' : 'failing' } };
}

/** The webhook that all examples show. */
export const exampleWebhook: Webhook = {
  id: exampleIds.webhookId,
  accountId: exampleIds.accountId,
  name: 'orders',
  uri: 'https://example.com/callbacks',
  userinfo: null,
  secret: 'a-bearer-of-your-own',
  verificationCode: 'verify-me',
  active: true,
  bodyTemplate: null,
  signing: true,
  rateLimit: null,
  tlsCa: null,
  pausedAt: null,
  pauseReason: null,
  createdAt: new Date('2026-01-15T09:30:00Z'),
  updatedAt: new Date('2026-01-15T09:30:00Z'),
  deletedAt: null,
  unreadable: [],
  version: 'nCX8eTWDkgMZLdrCrJ0aKwZ2M4s',
};

export const webhookPath = { id: z.uuid().describe('The id of a webhook of the account.') };
const path = { id: exampleWebhook.id };

/** The request header of an operation that changes a webhook, for the OpenAPI document. */
const ifMatchHeader = {
  'If-Match': z
    .string()
    .optional()
    .describe(
      'The `ETag` of the webhook that the change is meant for, several of them, or `*`. When the webhook has another ' +
        'one now, nothing is changed and the response is a 412. When absent, the change is always made.',
    ),
};

const editedName = 'orders (inactive)';
const edit = {
  scope: 'write' as const,
  hasEtag: true as const,
  path: webhookPath,
  header: ifMatchHeader,
  body: webhookUpdateSchema,
  response: { message: 'Updated successfully', data: webhookSchema, extraFields: warningFields },
  example: {
    path,
    body: { name: editedName, uri: exampleWebhook.uri, status: 0 },
    data: webhookResource({ ...exampleWebhook, name: editedName, active: false }),
  },
};

export const webhookOperations = tagOperations('Webhooks', [
  {
    id: 'listWebhooks',
    route: 'GET /developer/webhooks',
    forRestrictedSession: 'filters',
    isSearch: true,
    scope: 'read',
    summary: 'List webhooks',
    description:
      'Newest first, without deleted webhooks unless `filter[trashed]` selects them. An unknown filter gets a 400.',
    query: { ...numberedPageQuery, ...webhookFilterQuery },
    // The odd message (docs/reference/api.md#compatible-oddities).
    response: { message: 'Created successfully', data: z.array(webhookSchema), extraFields: numberedPageSchemas },
    errors: [422],
    example: { data: [webhookResource(exampleWebhook)], extraFields: exampleNumberedPage('/developer/webhooks', 1) },
  },
  {
    id: 'createWebhook',
    route: 'POST /developer/webhooks',
    scope: 'write',
    summary: 'Create a webhook',
    description:
      'With a `token`, a verification of the address starts; the response does not wait for it. A webhook with ' +
      'placeholders in the `uri`, or with a `payload`, is a composed webhook.',
    hasEtag: true,
    header: {
      'Idempotency-Key': z
        .string()
        .max(255)
        .optional()
        .describe('A text of your choice. The same one again creates nothing, and returns the webhook as it is then.'),
    },
    body: newWebhookSchema,
    response: { message: 'Created successfully', data: webhookSchema, extraFields: warningFields },
    example: {
      body: {
        name: exampleWebhook.name,
        uri: exampleWebhook.uri,
        secret: exampleWebhook.secret,
        token: exampleWebhook.verificationCode,
      },
      data: webhookResource(exampleWebhook),
    },
  },
  {
    id: 'showWebhook',
    route: 'GET /developer/webhooks/{id}',
    scope: 'read',
    summary: 'Show a webhook',
    description:
      '`status` is a number in this response only. A request with `If-None-Match` gets a 304 while the webhook has that ' +
      '`ETag`.',
    hasEtag: true,
    path: webhookPath,
    response: { message: 'OK', data: webhookDetailSchema },
    example: { path, data: webhookResource(exampleWebhook, 'number') },
  },
  {
    ...edit,
    id: 'updateWebhook',
    route: 'PUT /developer/webhooks/{id}',
    summary: 'Edit a webhook',
    description:
      'Later attempts of pending deliveries use the edited webhook. An absent optional field keeps its value. A ' +
      'portal session that is restricted to some webhooks cannot clear a `secret`, nor change the `uri` of a ' +
      'webhook that has none: 422.',
  },
  {
    ...edit,
    id: 'patchWebhook',
    route: 'PATCH /developer/webhooks/{id}',
    summary: 'Edit a webhook, by PATCH',
    description: 'Like PUT, but it changes only the fields that it has: `name` and `uri` may be absent too.',
    body: webhookPatchSchema,
    example: { ...edit.example, body: { name: editedName, status: 0 } },
  },
  {
    id: 'deleteWebhook',
    route: 'DELETE /developer/webhooks/{id}',
    scope: 'write',
    summary: 'Delete a webhook',
    description: 'A deleted webhook gets no callbacks. It can be restored.',
    path: webhookPath,
    header: ifMatchHeader,
    response: { message: 'Deleted successfully', data: emptyList },
    example: { path, data: [] },
  },
  {
    id: 'restoreWebhook',
    route: 'POST /developer/webhooks/{id}/restore',
    scope: 'write',
    summary: 'Restore a deleted webhook',
    description: 'The webhook becomes active. 422 when the account has the maximum number of webhooks.',
    hasEtag: true,
    path: webhookPath,
    header: ifMatchHeader,
    response: { message: 'Restored successfully', data: webhookSchema },
    errors: [422],
    example: { path, data: webhookResource(exampleWebhook) },
  },
  {
    id: 'resumeWebhook',
    scope: 'write',
    hasEtag: true,
    path: webhookPath,
    route: 'POST /developer/webhooks/{id}/resume',
    summary: 'End the pause of a webhook',
    description:
      'The service may be configured to pause webhooks that fail for a long time or respond with 410. A paused ' +
      'webhook has the field `paused`, and webhooks that subscribe to `webhook:paused` get this event. After the ' +
      'pause, the waiting deliveries are sent within seconds, with their remaining attempts. A webhook that is ' +
      'not paused does not change.',
    response: { message: 'Resumed successfully', data: webhookSchema },
    example: { path, data: webhookResource(exampleWebhook) },
  },
]);
