import type { Request } from 'express';
import { z } from 'zod';
import { type AllowList, checkCallbackUri, checkTemplate, type JsonObject, parseAllowList } from '@ringback/callbacks';
import type { NewWebhook, WebhookChanges, WebhookFilter } from '@ringback/database';
import { ApiError, validationError } from '../http/api-error.js';
import { withExactNumbers } from '../http/body.js';
import { allowFilters, queryText } from '../http/query.js';
import { checkedBy, isStorable, optionalToken, requiredText, validate } from '../http/validate.js';

const status = z
  .literal([0, 1, '0', '1'], 'The selected status is invalid.')
  .nullish()
  .transform((value) => (value === undefined || value === null ? undefined : Number(value) === 1));

const payload = checkedBy<JsonObject | null>((value) => (value === null ? [] : checkTemplate(value))).optional();

const wrongRate = 'The rate limit field must be an integer between 1 and 1000.';
const rateLimit = z.int(wrongRate).min(1, wrongRate).max(1_000, wrongRate).nullish();

const uri = (allow: AllowList) =>
  z
    .string({
      error: ({ input }) => ((input ?? '') === '' ? 'The uri field is required.' : 'The uri field must be a string.'),
    })
    .check(({ value, issues }) => {
      const messages = value === '' ? ['The uri field is required.'] : checkCallbackUri(value, allow);
      for (const message of messages) issues.push({ code: 'custom', message, input: value });
    });

/** The fields that may have placeholders. */
export const templateFields = (allow: AllowList) => ({
  uri: uri(allow).describe('Absolute, http or https; placeholders may stand in values of its query.'),
  payload: payload.meta({ type: ['object', 'null'], description: 'The body template. Null on an edit: none.' }),
});

const editable = (allow: AllowList) =>
  z.object({
    name: requiredText('name', 255).describe('1 to 255 characters after trimming.'),
    ...templateFields(allow),
    status: status.describe('1 active, 0 inactive; 1 when absent, on an edit unchanged.'),
    secret: optionalToken('secret', 255).optional().describe('Sent as Bearer in callbacks. Empty or null: none.'),
    signing: z
      .boolean('The signing field must be true or false.')
      .optional()
      .describe('Whether callbacks carry `Signature` and `webhook-signature`; true when absent, on an edit unchanged.'),
    rate_limit: rateLimit.describe('Callbacks a second at most. Null: no limit. On an edit, absent is unchanged.'),
  });

const creatable = (allow: AllowList) =>
  editable(allow).extend({
    token: optionalToken('token', 255).optional().describe('The code of the verification challenge.'),
  });

export const newWebhookSchema = creatable(parseAllowList('')).meta({ id: 'NewWebhook' });
export const webhookChangesSchema = editable(parseAllowList('')).meta({ id: 'WebhookChanges' });

/** Reads the body of a create. `token` is the code of the verification challenge. */
export function readNewWebhook(body: unknown, allow: AllowList): NewWebhook {
  const input = validate(creatable(allow), withExactNumbers(body, 'payload'));
  return {
    name: input.name,
    uri: input.uri,
    active: input.status ?? true,
    secret: input.secret ?? null,
    verificationCode: input.token ?? null,
    payload: input.payload ?? null,
    signing: input.signing ?? true,
    rateLimit: input.rate_limit ?? null,
  };
}

/** Reads the body of an edit: what is absent keeps its value; an empty `secret` and a null `payload` are cleared. */
export function readWebhookChanges(body: unknown, allow: AllowList): WebhookChanges {
  const input = validate(editable(allow), withExactNumbers(body, 'payload'));
  return {
    name: input.name,
    uri: input.uri,
    ...(input.status === undefined ? {} : { active: input.status }),
    ...(input.secret === undefined ? {} : { secret: input.secret }),
    ...(input.payload === undefined ? {} : { payload: input.payload }),
    ...(input.signing === undefined ? {} : { signing: input.signing }),
    ...(input.rate_limit === undefined ? {} : { rateLimit: input.rate_limit }),
  };
}

const trashedChoices = ['with', 'only'] as const;

/** The filters that `readWebhookFilter` reads, as the document tells of them. */
export const webhookFilterQuery = {
  'filter[name]': z
    .string()
    .optional()
    .describe('Contained in the name, in any case; a comma means or. At most 20 alternatives of 255 characters.'),
  'filter[trashed]': z.enum(trashedChoices).optional().describe('Shows deleted webhooks too, or only those.'),
};

const maxNames = 20;
const maxNameLength = 255;

/** The alternatives of `filter[name]`, empty ones left out. */
function readNames(text: string): string[] {
  const names = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const complain = (message: string) => validationError({ 'filter[name]': [`The filter[name] field ${message}.`] });
  if (names.length > maxNames) throw complain(`must not have more than ${maxNames} alternatives`);
  const isTooLong = names.some((part) => [...part].length > maxNameLength);
  if (isTooLong) throw complain(`must not have an alternative of more than ${maxNameLength} characters`);
  return names;
}

/** Reads `filter[name]` (comma: or) and `filter[trashed]`; an empty filter is none, any other filter is a 400. */
export function readWebhookFilter(request: Request): WebhookFilter & { kept: [string, string][] } {
  allowFilters(request, 'name', 'trashed');
  const name = queryText(request, 'filter[name]') ?? '';
  if (!isStorable(name)) {
    throw validationError({ 'filter[name]': ['The filter[name] field holds a character that is not allowed.'] });
  }
  const trashed = queryText(request, 'filter[trashed]') ?? '';
  const choice = trashedChoices.find((known) => known === trashed);
  if (trashed !== '' && choice === undefined) throw new ApiError(400, 'The filter trashed must be "with" or "only".');
  const names = readNames(name);
  const kept: [string, string][] = [
    ['filter[name]', name],
    ['filter[trashed]', trashed],
  ];
  return {
    names,
    trashed: choice ?? 'without',
    kept: kept.filter(([, value]) => value !== ''),
  };
}
