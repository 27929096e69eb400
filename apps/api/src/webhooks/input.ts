import type { Request } from 'express';
import { z } from 'zod';
import {
  type AllowList,
  checkCallbackUri,
  checkTemplate,
  hasAtMostCharacters,
  isStorable,
  type JsonObject,
  parseAllowList,
} from '@ringback/rules';
import type { NewWebhook, WebhookUpdate, WebhookFilter } from '@ringback/ledger';
import { ApiError, validationError } from '../http/output/api-error.js';
import { withExactNumbers } from '../http/input/body.js';
import { allowFilters, queryText } from '../http/input/query.js';
import { checkedBy, nullableHeaderValue, requiredText, validate } from '../http/input/validate.js';

const activeTexts = ['1', 'true'];

/** `""` and null count as absent, `true` and `false` as 1 and 0: clients written with Laravel send them. */
const status = z
  .literal([0, 1, '0', '1', true, false, 'true', 'false', ''], 'The selected status is invalid.')
  .nullish()
  .transform((value) => ((value ?? '') === '' ? undefined : activeTexts.includes(String(value))));

const payload = checkedBy<JsonObject | null>((value) => (value === null ? [] : checkTemplate(value))).optional();

const rateRange = 'The rate limit field must be an integer between 1 and 1000.';
const rateLimit = z.int(rateRange).min(1, rateRange).max(1_000, rateRange).nullish();

const createUriSchema = (allowList: AllowList) =>
  z
    .string({
      error: ({ input }) => ((input ?? '') === '' ? 'The uri field is required.' : 'The uri field must be a string.'),
    })
    .check(({ value, issues }) => {
      const messages = value === '' ? ['The uri field is required.'] : checkCallbackUri(value, allowList);
      for (const message of messages) issues.push({ code: 'custom', message, input: value });
    });

/** The fields that may contain placeholders. */
export const templateFields = (allowList: AllowList) => ({
  uri: createUriSchema(allowList).describe('An absolute http or https URL. Values of its query may have placeholders.'),
  payload: payload.meta({ type: ['object', 'null'], description: 'The body template. Null in an edit removes it.' }),
});

const createUpdateSchema = (allowList: AllowList) =>
  z.object({
    name: requiredText('name', 255).describe('1 to 255 characters after trimming.'),
    ...templateFields(allowList),
    status: status.describe('1 active, 0 inactive. When absent, 1 at creation and unchanged in an edit.'),
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
  });

const createCreationSchema = (allowList: AllowList) =>
  createUpdateSchema(allowList).extend({
    token: nullableHeaderValue('token', 255).optional().describe('The token of the verification.'),
  });

export const newWebhookSchema = createCreationSchema(parseAllowList('')).meta({ id: 'NewWebhook' });
export const webhookUpdateSchema = createUpdateSchema(parseAllowList('')).meta({ id: 'WebhookUpdate' });
export const webhookPatchSchema = createUpdateSchema(parseAllowList('')).partial().meta({ id: 'WebhookPatch' });

/** The fields of a creation. */
export const newWebhookFields = Object.keys(newWebhookSchema.shape);
/** The fields of an edit. `token` is one that the specification has and an edit ignores. */
export const editFields = [...Object.keys(webhookUpdateSchema.shape), 'token'];

/** Reads the body of a creation. */
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
  };
}

/**
 * Reads the body of an edit. An absent optional field keeps its value. An empty or null `secret`, a null `payload` and
 * a null `rate_limit` remove the value.
 */
export const readWebhookUpdate = (body: unknown, allowList: AllowList): WebhookUpdate =>
  toWebhookUpdate(validate(createUpdateSchema(allowList), withExactNumbers(body, 'payload')));

/** Reads the body of an edit as `readWebhookUpdate` does, but the name and the uri may be absent too. */
export const readWebhookPatch = (body: unknown, allowList: AllowList): WebhookUpdate =>
  toWebhookUpdate(validate(createUpdateSchema(allowList).partial(), withExactNumbers(body, 'payload')));

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
  };
}

const trashedChoices = ['with', 'only'] as const;

/** The query parameters of `readWebhookFilter`, for the OpenAPI document. */
export const webhookFilterQuery = {
  'filter[name]': z
    .string()
    .optional()
    .describe(
      'A part of the name, case-insensitive. Commas separate alternatives: at most 20, of 255 characters each.',
    ),
  'filter[trashed]': z
    .enum(trashedChoices)
    .optional()
    .describe('`with` includes deleted webhooks, `only` lists only those.'),
};

const maxNames = 20;
const maxNameLength = 255;

/** Reads the alternatives in `filter[name]`, without empty ones. Throws a 422 for too many or too long ones. */
function readNames(text: string): string[] {
  const names = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const nameError = (message: string) => validationError({ 'filter[name]': [`The filter[name] field ${message}.`] });
  if (names.length > maxNames) throw nameError(`must not have more than ${maxNames} alternatives`);
  const isTooLong = names.some((part) => !hasAtMostCharacters(part, maxNameLength));
  if (isTooLong) throw nameError(`must not have an alternative of more than ${maxNameLength} characters`);
  return names;
}

/**
 * Reads `filter[name]` and `filter[trashed]`; `linkQuery` holds those that are not empty, which page URLs repeat.
 * Throws a 400 for another filter or an invalid `filter[trashed]`, and a 422 for an invalid `filter[name]`.
 */
export function readWebhookFilter(request: Request): WebhookFilter & { linkQuery: [string, string][] } {
  allowFilters(request, 'name', 'trashed');
  const name = queryText(request, 'filter[name]') ?? '';
  if (!isStorable(name)) {
    throw validationError({ 'filter[name]': ['The filter[name] field holds a character that is not allowed.'] });
  }
  const trashed = queryText(request, 'filter[trashed]') ?? '';
  const choice = trashedChoices.find((known) => known === trashed);
  if (trashed !== '' && choice === undefined) throw new ApiError(400, 'The filter trashed must be "with" or "only".');
  const names = readNames(name);
  const linkQuery: [string, string][] = [
    ['filter[name]', name],
    ['filter[trashed]', trashed],
  ];
  return {
    names,
    trashed: choice ?? 'without',
    linkQuery: linkQuery.filter(([, value]) => value !== ''),
  };
}
