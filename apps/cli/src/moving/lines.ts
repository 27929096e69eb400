import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type ImportLine, isUuid, scopes } from '@ringback/ledger';
import { parseTimestamp } from '@ringback/process';
import {
  type AllowList,
  checkCallbackUri,
  checkTemplate,
  checkTrustedCa,
  eventNames,
  hasAtMostCharacters,
  isStorable,
  type JsonObject,
  parseExactJson,
  parseUrl,
  portalThemeSchema,
  splitUserinfo,
} from '@ringback/rules';

/** A line that can be imported, with warnings of what the API would refuse, or why it cannot be. */
type ParsedLine =
  { ok: true; line: ImportLine; warnings: string[] } | { ok: false; type: ImportLine['type']; reason: string };

/** What is known of a line before its fields are checked. */
export type LineHead = { type: ImportLine['type']; hasId: boolean };

const uuid = z
  .string('must be a UUID')
  .refine(isUuid, 'must be a UUID')
  .transform((id) => id.toLowerCase());
const storable = z.string('must be a string').refine(isStorable, 'holds a character that cannot be stored');
const filled = storable.min(1, 'must not be empty');

/**
 * A time as in `ImportLine`. `2026-01-31 12:00:00`, as MySQL writes it, is a time too. Without an offset it is UTC. It
 * keeps microseconds.
 */
const time = z.string('must be a time such as 2026-01-31T12:00:00Z').transform((text, { issues }) => {
  const iso = text.trim().replace(/^(\d{4}-\d\d-\d\d) (?=\d\d:)/, '$1T');
  const date = parseTimestamp(iso);
  const year = date?.getUTCFullYear() ?? 0;
  if (date === null || year < 1 || year > 9999) {
    issues.push({ code: 'custom', message: 'must be a time such as 2026-01-31T12:00:00Z', input: text });
    return '';
  }
  const [, fraction = ''] = /:\d\d\.(\d+)/.exec(iso) ?? [];
  return `${date.toISOString().slice(0, 19)}.${fraction.slice(0, 6).padEnd(6, '0')}Z`;
});

const empty = z.literal('').transform(() => null);
const headerValue = z
  .union([
    empty,
    z
      .string('must be a string')
      .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'must be printable ASCII without a space at either end'),
  ])
  .nullish();

const status = z
  .literal([0, 1, '0', '1', true, false, 'true', 'false', ''], 'must be 1 or 0')
  .nullish()
  .transform((value) => ((value ?? '') === '' ? undefined : ['1', 'true'].includes(String(value))));
const flag = z
  .literal([0, 1, '0', '1', true, false], 'must be true or false')
  .nullish()
  .transform((value) => (value === null || value === undefined ? undefined : ['1', 'true'].includes(String(value))));

const account = z.strictObject({
  type: z.literal('account'),
  id: uuid,
  name: filled,
  external_id: filled
    .refine((text) => hasAtMostCharacters(text, 255), 'must not be greater than 255 characters')
    .nullish(),
  status: z.enum(['active', 'suspended'], 'must be active or suspended').nullish(),
  theme: portalThemeSchema.nullish(),
  callback_token: headerValue,
  created_at: time.nullish(),
  updated_at: time.nullish(),
});

const accessToken = z.strictObject({
  type: z.literal('access_token'),
  id: uuid.nullish(),
  account_id: uuid,
  token: filled.nullish(),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits')
    .nullish(),
  format: z.enum(['plain', 'sanctum'], 'must be plain or sanctum').nullish(),
  name: storable.nullish(),
  scopes: z
    .array(z.enum(scopes, `must be of ${scopes.join(', ')}`))
    .min(1, 'must have at least one scope')
    .nullish(),
  created_at: time.nullish(),
  revoked_at: time.nullish(),
});

const signingSecret = z
  .string()
  .regex(/^whsec_(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, 'must be whsec_ and base64');
const verification = z.strictObject({
  id: uuid,
  status: z.enum(['pending', 'passed', 'failed'], 'must be pending, passed or failed'),
  attempts: z.int('must be an integer from 0').min(0, 'must be an integer from 0').max(1_000).nullish(),
  reason: storable.nullish(),
  advice: storable.nullish(),
  next_attempt_at: time.nullish(),
  created_at: time.nullish(),
  updated_at: time.nullish(),
});
const subscriptionId = z.int('must be an integer').min(1, 'must be from 1').max(2_147_483_647, 'must be to 2147483647');
const webhook = z.strictObject({
  type: z.literal('webhook'),
  id: uuid,
  account_id: uuid,
  name: storable,
  uri: filled,
  status,
  secret: headerValue,
  token: headerValue,
  verification_code: headerValue,
  payload: z.custom<JsonObject | null>().optional(),
  signing: flag,
  rate_limit: z
    .int('must be an integer from 1 to 1000')
    .min(1, 'must be an integer from 1 to 1000')
    .max(1_000, 'must be an integer from 1 to 1000')
    .nullish(),
  tls: z.strictObject({ ca: filled }).nullish(),
  signing_secret: signingSecret.nullish(),
  previous_signing_secret: signingSecret.nullish(),
  previous_signs_until: time.nullish(),
  paused: z.strictObject({ since: time, reason: z.enum(['failing', 'gone']) }).nullish(),
  verification: verification.nullish(),
  unreadable: z.unknown().optional(),
  created_at: time.nullish(),
  updated_at: time.nullish(),
  deleted_at: time.nullish(),
  subscriptions: z.array(subscriptionId).nullish(),
});

const identity = z.preprocess(
  (value) => (value === null || (typeof value === 'string' && value.trim() === '') ? undefined : value),
  storable
    .transform((text) => text.trim())
    .refine((text) => hasAtMostCharacters(text, 255), 'must not be greater than 255 characters')
    .default('all'),
);

const subscription = z.strictObject({
  type: z.literal('subscription'),
  id: subscriptionId.nullish(),
  account_id: uuid,
  webhook_id: uuid,
  event: z.enum(eventNames, `must be one of ${eventNames.join(', ')}`),
  identity,
  payload: z.unknown().optional(),
  created_at: time.nullish(),
});

const eventKey = z.strictObject({
  type: z.literal('event_key'),
  account_id: uuid,
  webhook_id: uuid.nullish(),
  event: z.enum(eventNames, `must be one of ${eventNames.join(', ')}`),
  event_id: filled.nullish(),
  key: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
    .nullish(),
});

const schemas = { account, access_token: accessToken, webhook, subscription, event_key: eventKey };
type Fields = z.output<(typeof schemas)[keyof typeof schemas]>;

const isType = (type: unknown): type is keyof typeof schemas =>
  typeof type === 'string' && Object.hasOwn(schemas, type);

/** A line of a known type, whose fields are not checked yet, or why it is none. Never throws. */
export function readLine(text: string): { ok: true; head: LineHead; value: object } | { ok: false; reason: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, reason: 'is not JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { ok: false, reason: 'is not a JSON object' };
  const type: unknown = 'type' in value ? value.type : undefined;
  if (!isType(type)) return { ok: false, reason: `type: must be one of ${Object.keys(schemas).join(', ')}` };
  const id: unknown = 'id' in value ? value.id : undefined;
  return { ok: true, head: { type, hasId: (id ?? null) !== null }, value };
}

/**
 * Checks the fields of a line. `text` is the line. Never throws. `allowList` tells which private addresses callbacks
 * may have.
 */
export function parseLine({ type }: LineHead, value: object, text: string, allowList: AllowList): ParsedLine {
  const parsed = schemas[type].safeParse(value);
  if (!parsed.success) return refuse(type, parsed.error.issues.map(describeIssue).join('; '));
  return toLine(parsed.data, text, allowList);
}

const refuse = (type: ImportLine['type'], reason: string): ParsedLine => ({ ok: false, type, reason });
const accept = (line: ImportLine, warnings: string[] = []): ParsedLine => ({ ok: true, line, warnings });

function describeIssue({ code, path, message, ...issue }: z.core.$ZodIssue): string {
  if (code === 'unrecognized_keys' && 'keys' in issue) return `${issue.keys.join(', ')}: unknown field`;
  return `${path.join('.')}: ${/^Invalid input/.test(message) ? 'is missing or has the wrong type' : message}`;
}

function toLine(fields: Fields, text: string, allowList: AllowList): ParsedLine {
  const given = <Value>(value: Value | null | undefined) => value ?? undefined;
  switch (fields.type) {
    case 'account': {
      const { type, id, name } = fields;
      const times = { createdAt: given(fields.created_at), updatedAt: given(fields.updated_at) };
      const others = { externalId: fields.external_id, status: given(fields.status), theme: fields.theme };
      const callbackToken = given(fields.callback_token);
      return accept({ ...{ type, id, name, callbackToken }, ...others, ...times }, nameWarnings(name));
    }
    case 'access_token':
      return toAccessToken(fields);
    case 'webhook':
      return toWebhook(fields, text, allowList);
    case 'subscription': {
      const { type, account_id: accountId, webhook_id: webhookId, event, identity: who } = fields;
      const times = { createdAt: given(fields.created_at) };
      return accept({ type, id: given(fields.id), accountId, webhookId, event, identity: who, ...times });
    }
    case 'event_key': {
      const { type, account_id: accountId, event, event_id: platformEventId, key } = fields;
      const owner = { type, accountId, webhookId: given(fields.webhook_id), event };
      if (key) return accept({ ...owner, key, platformEventId: given(platformEventId) });
      return platformEventId ? accept({ ...owner, platformEventId }) : refuse(type, 'event_id: is required');
    }
  }
}

function toAccessToken(fields: z.output<typeof accessToken>): ParsedLine {
  const { type, account_id: accountId, token, format } = fields;
  if ((token ?? null) === null && !fields.sha256) return refuse(type, 'token or sha256: one of them is required');
  if (token && fields.sha256) return refuse(type, 'token and sha256: only one of them may be given');
  const secret = format === 'sanctum' ? token?.replace(/^\d+\|/, '') : token;
  const hash =
    fields.sha256?.toLowerCase() ??
    createHash('sha256')
      .update(secret ?? '')
      .digest('hex');
  return accept({
    type,
    accountId,
    hash,
    id: fields.id ?? undefined,
    name: fields.name ?? undefined,
    scopes: fields.scopes ?? undefined,
    createdAt: fields.created_at ?? undefined,
    revokedAt: fields.revoked_at ?? undefined,
  });
}

function toWebhook(fields: z.output<typeof webhook>, text: string, allowList: AllowList): ParsedLine {
  const { type, id, account_id: accountId, name, uri, secret } = fields;
  const bodyTemplate = exactTemplate(fields.payload, text);
  const uriErrors = checkCallbackUri(uri, allowList);
  if (uriErrors.length > 0 && !canBeSent(uri)) return refuse(type, `uri: ${uriErrors.join(' ')}`);
  const templateErrors = bodyTemplate === null || bodyTemplate === undefined ? [] : checkTemplate(bodyTemplate);
  const isObject = typeof bodyTemplate === 'object' && !Array.isArray(bodyTemplate);
  if (templateErrors.length > 0 && !(isObject && isStorable(bodyTemplate))) {
    return refuse(type, `payload: ${templateErrors.join(' ')}`);
  }
  const caErrors = fields.tls ? checkTrustedCa(fields.tls.ca, new Date()) : [];
  if (caErrors.some((error) => !error.includes('expired'))) return refuse(type, `tls.ca: ${caErrors.join(' ')}`);
  const { previous_signing_secret: previousSecret, previous_signs_until: previousUntil } = fields;
  if (!previousSecret !== !previousUntil)
    return refuse(type, 'previous_signing_secret and previous_signs_until: give both or none');
  const hasPrevious = previousSecret !== undefined || previousUntil !== undefined;
  const previous = previousSecret && previousUntil ? { secret: previousSecret, until: previousUntil } : null;
  const verificationCode = fields.verification_code === undefined ? fields.token : fields.verification_code;
  const line: ImportLine = {
    ...{ type, id, accountId, name, uri, secret, verificationCode, bodyTemplate },
    active: fields.status,
    signing: fields.signing,
    rateLimit: fields.rate_limit,
    tlsCa: fields.tls === null ? null : fields.tls?.ca,
    signingSecret: fields.signing_secret ?? undefined,
    previousSigning: hasPrevious ? previous : undefined,
    paused: fields.paused,
    verification: fields.verification ? toVerification(fields.verification) : undefined,
    createdAt: fields.created_at ?? undefined,
    updatedAt: fields.updated_at ?? undefined,
    deletedAt: fields.deleted_at,
    subscriptionIds: fields.subscriptions ?? undefined,
  };
  const lengths = [...lengthWarnings('secret', secret), ...lengthWarnings('token', verificationCode)];
  return accept(line, [...nameWarnings(name), ...uriErrors, ...lengths, ...templateErrors, ...caErrors]);
}

const toVerification = ({ id, status: state, ...fields }: z.output<typeof verification>) => ({
  id,
  state,
  attemptCount: fields.attempts ?? undefined,
  reason: fields.reason,
  advice: fields.advice,
  nextAttemptAt: fields.next_attempt_at,
  createdAt: fields.created_at ?? undefined,
  updatedAt: fields.updated_at ?? undefined,
});

/** The template with the digits of its numbers as they were written. */
function exactTemplate(template: JsonObject | null | undefined, text: string): JsonObject | null | undefined {
  if (template === null || template === undefined) return template;
  const exact = parseExactJson(text);
  const isObject = typeof exact === 'object' && exact !== null && !Array.isArray(exact) && 'payload' in exact;
  return isObject ? (exact.payload as JsonObject) : template;
}

const nameWarnings = (name: string) =>
  name.trim() !== '' && hasAtMostCharacters(name, 255) ? [] : ['The name field must have 1 to 255 characters.'];

const lengthWarnings = (field: string, text: string | null | undefined) =>
  hasAtMostCharacters(text ?? '', 255) ? [] : [`The ${field} field must not be greater than 255 characters.`];

/** Whether a worker can make a request of a uri that the API refuses. It may still refuse the address. */
function canBeSent(uri: string): boolean {
  const withoutUserinfo = splitUserinfo(uri).uri.replace('//********@', '//');
  return /^https?:\/\/[^/?#{}\\]/i.test(withoutUserinfo) && parseUrl(withoutUserinfo) !== null;
}
