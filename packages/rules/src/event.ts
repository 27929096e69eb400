import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  isStorable,
  hasAtMostCharacters,
  isDeeperThan,
  parseJson,
  measureDepth,
  memberTexts,
  canonicalJson,
} from './json.js';

/** The events that platforms report. */
export const platformEventNames = ['sms:message:status', 'rcs:message:status', 'rcs:message:in'] as const;
/** The events that webhooks receive: those of platforms, and `webhook:paused`, which Ringback itself reports. */
export const eventNames = [...platformEventNames, 'webhook:paused'] as const;
export type EventName = (typeof eventNames)[number];

export const channels = ['sms', 'rcs'] as const;
export type Channel = (typeof channels)[number];

/** The channel whose delivery rules apply to an event. `webhook:paused` uses the SMS rules, which retry for longer. */
export function channelOf(event: EventName): Channel {
  return event === 'sms:message:status' || event === 'webhook:paused' ? 'sms' : 'rcs';
}

/** An event, reported by a platform or by Ringback (docs/reference/events.md#fields). */
export type NewEvent = {
  name: EventName;
  accountId: string | null;
  webhookId: string | null;
  identity: string | null;
  /** The platform's own id of the event. */
  platformEventId: string | null;
  /** The JSON text of an object: the received bytes if they are known. */
  payload: string;
  /** `payload.id`; null when the event does not concern a message. */
  messageId: string | null;
  /** At most 255 characters, for the delivery log. */
  mobile: string | null;
};

const requiredOr = (name: string, type: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? `${name} is required` : `${name} must be ${type}`),
});

const text = (name: string, type = 'a string') =>
  z
    .string(requiredOr(name, type))
    .min(1, `${name} must not be empty`)
    .refine((value) => hasAtMostCharacters(value, 255), `${name} must not be longer than 255 characters`)
    .refine(isStorable, `${name} holds a character that is not allowed`)
    .meta({ maxLength: 255 });
/** Null and "" count as absent, because platforms send them for missing values. */
const absentIfEmpty = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === '' ? null : value), schema);
const optionalText = (name: string) =>
  absentIfEmpty(text(name).nullish()).meta({
    anyOf: [{ type: 'string', maxLength: 255 }, { type: 'null' }],
    description: 'Empty and null mean absent.',
  });
const id = (name: string) => z.guid(`${name} must be a UUID`).transform((value) => value.toLowerCase());

/** The fields around the payload. At least one of `account_id` and `webhook_id` is required. */
const envelopeSchema = z
  .object(
    {
      event: z.enum(platformEventNames, requiredOr('event', `one of ${platformEventNames.join(', ')}`)),
      account_id: absentIfEmpty(id('account_id').nullish()),
      webhook_id: id('webhook_id').nullish(),
      // Subscriptions trim their identity too, so that the two are equal when they look equal.
      identity: z.preprocess((value) => (typeof value === 'string' ? value.trim() : value), optionalText('identity')),
      event_id: optionalText('event_id'),
      payload: z.unknown(),
    },
    'an event must be an object',
  )
  .refine(({ account_id, webhook_id }) => Boolean(account_id ?? webhook_id), {
    path: ['account_id'],
    message: 'account_id is required when webhook_id is absent',
  });

const notAnObjectMessage = 'payload must be an object, or the JSON text of one';

const hasNoNul = (value: unknown) => typeof value !== 'string' || !value.includes('\0');
// The mobile number is also stored in a text column, which cannot hold NUL.
const mobile = z.unknown().refine(hasNoNul, 'payload.mobile holds a character that is not allowed').optional();
const messageId = text('payload.id', 'a string or an integer').meta({
  type: ['string', 'integer'],
  description: 'The id of the message. An integer stands for its decimal digits.',
});
const payloadSchema = z.looseObject({ id: messageId, mobile }, notAnObjectMessage);
/** The payload of an event that Ringback itself reports. It may lack a message id, because it concerns no message. */
const ownPayloadSchema = z.looseObject({ id: messageId.nullable().default(null), mobile }, notAnObjectMessage);

/**
 * The input of `parseEvent`, for the OpenAPI document. The JSON Schema lacks the rule that one of the two ids is
 * required.
 */
export const eventSchema = envelopeSchema.safeExtend({
  payload: z
    .union([payloadSchema, z.string()])
    .describe('An object, or the JSON text of one, which is sent unchanged.'),
});

/** A valid event, or the messages by field (`payload.id`) and all of them as one text. */
export type ParsedEvent =
  { ok: true; event: NewEvent } | { ok: false; errors: Record<string, string[]>; reason: string };

/**
 * Validates an event as a platform sends it: `{event, account_id, webhook_id, identity, event_id, payload}`. It checks
 * the envelope and `payload.id`, refuses a NUL in `payload.mobile` and more than 64 levels, and leaves the payload
 * unchanged (docs/reference/events.md#fields). `source` is the JSON text of a payload that is an object, if it is
 * known: the event keeps that text. Never throws.
 */
export function parseEvent(input: unknown, source?: string): ParsedEvent {
  const envelope = envelopeSchema.safeParse(input);
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return notAnEvent(envelope.error);
  const raw = 'payload' in input ? input.payload : undefined;
  const payload = readPayload(raw, source, payloadSchema);
  const misspelt = misspeltFields(input);
  const errors = {
    ...misspelt,
    ...(envelope.success ? {} : errorsOf(envelope.error)),
    ...(payload.ok ? {} : payload.errors),
  };
  if (!envelope.success || !payload.ok || Object.keys(misspelt).length > 0) {
    return { ok: false, errors, reason: Object.values(errors).flat().join('; ') };
  }
  const { event, account_id: accountId, webhook_id: webhookId, identity, event_id: eventId } = envelope.data;
  return {
    ok: true,
    event: {
      name: event,
      accountId: accountId ?? null,
      webhookId: webhookId ?? null,
      identity: identity ?? null,
      platformEventId: eventId ?? null,
      payload: payload.text,
      messageId: payload.id,
      mobile: mobileOf(payload.value),
    },
  };
}

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== '';
const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '');
const fieldsByLetters = new Map(
  ['account_id', 'webhook_id', 'identity', 'event_id'].map((field) => [lettersOf(field), field]),
);

/**
 * Errors of fields such as `webhookId` in place of `webhook_id`. Other unknown fields are ignored, but without its
 * `webhook_id` an event would go to all subscribers.
 */
function misspeltFields(input: object): Record<string, string[]> {
  const errors: Record<string, string[]> = {};
  for (const name of Object.keys(input)) {
    const field = fieldsByLetters.get(lettersOf(name));
    if (field === undefined || field === name || isGiven(Reflect.get(input, field))) continue;
    if ((Reflect.get(input, name) ?? null) === null) continue;
    errors[name] = [`${name} is not a field of an event: write ${field}`];
  }
  return errors;
}

function notAnEvent(error: z.ZodError | undefined): ParsedEvent {
  const errors = error === undefined ? {} : errorsOf(error);
  return { ok: false, errors, reason: Object.values(errors).flat().join('; ') };
}

/**
 * Validates the payload of any event, including those that Ringback itself reports. `source` is the JSON text of a
 * payload that is an object, if it is known. Never throws.
 */
export function parsePayload(event: EventName, raw: unknown, source?: string): ParsedPayload {
  return readPayload(raw, source, event === 'webhook:paused' ? ownPayloadSchema : payloadSchema);
}

type ParsedPayload =
  | { ok: true; text: string; id: string | null; value: Record<string, unknown> }
  | { ok: false; errors: Record<string, string[]> };

type ValidPayload = { id: string | null; [field: string]: unknown };

const maxDepth = 64;

function readPayload(raw: unknown, source: string | undefined, schema: z.ZodType<ValidPayload>): ParsedPayload {
  const fail = (message: string): ParsedPayload => ({ ok: false, errors: { payload: [message] } });
  if (raw === undefined || raw === null) return fail('payload is required');
  const value = typeof raw === 'string' ? parseJson(raw) : raw;
  const received = typeof raw === 'string' ? raw : source;
  if (isDeeperThan(value, maxDepth)) return fail('payload is nested too deeply');
  const parsed = schema.safeParse(withTextId(value, received));
  if (!parsed.success) return { ok: false, errors: errorsOf(parsed.error, 'payload') };
  const text = received ?? stringifyJson(value);
  if (text === undefined) return fail(notAnObjectMessage);
  if (received !== undefined && measureDepth(received) > maxDepth) return fail('payload is nested too deeply');
  return { ok: true, text, id: parsed.data.id, value: parsed.data };
}

/** Replaces an integer `id` of a payload by its decimal digits. */
function withTextId(value: unknown, source: string | undefined): unknown {
  const id: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'id') : undefined;
  if (typeof id !== 'number' || !Number.isInteger(id)) return value;
  if (Number.isSafeInteger(id)) return { ...Object(value), id: String(id) };
  // Above 2^53 only the source text has all digits.
  const digits = source === undefined ? String(id) : memberTexts(source, 'id')[0];
  return { ...Object(value), id: /^-?\d+$/.test(digits ?? '') ? digits : String(BigInt(id)) };
}

/** Like JSON.stringify, but returns undefined for a value that JSON cannot express, such as a BigInt. */
function stringifyJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

const hasSamePath = (a: z.core.$ZodIssue, b: z.core.$ZodIssue) => a.path.join('.') === b.path.join('.');

/** Error messages by field. For a value of the wrong type, only that error is listed. */
function errorsOf(error: z.ZodError, ...prefix: string[]): Record<string, string[]> {
  const typeIssues = error.issues.filter(({ code }) => code === 'invalid_type');
  const errors: Record<string, string[]> = {};
  for (const issue of error.issues) {
    const field = [...prefix, ...issue.path].join('.') || 'event';
    const hasTypeError = typeIssues.some((other) => other !== issue && hasSamePath(other, issue));
    if (!hasTypeError || issue.code === 'invalid_type') (errors[field] ??= []).push(issue.message);
  }
  return errors;
}

/** The mobile number for the delivery log: the first 255 characters of `mobile`, `to` or `recipient.from`. */
function mobileOf(payload: Record<string, unknown>): string | null {
  const { mobile, to, recipient } = payload;
  const from: unknown =
    typeof recipient === 'object' && recipient !== null ? Reflect.get(recipient, 'from') : undefined;
  const found = [mobile, to, from].find((value) => typeof value === 'string' && isStorable(value));
  return typeof found === 'string' ? [...found.slice(0, 510)].slice(0, 255).join('') : null;
}

/**
 * The key that repeated events have in common (docs/reference/events.md#duplicates): a SHA-256 in lower-case hex. It
 * covers the event name, the webhook (the account if the event names no webhook), and the platform's `event_id`.
 * Without an `event_id` it covers the whole content instead: the payload and the identity.
 */
export function idempotencyKey(event: NewEvent): string {
  // A webhook belongs to one account, so its id stands for both.
  const scope = [event.name, event.webhookId ?? event.accountId ?? '', event.webhookId];
  const hash = createHash('sha256');
  if (event.platformEventId !== null) hash.update(JSON.stringify([...scope, 'event', event.platformEventId]));
  else hash.update(JSON.stringify([...scope, 'content', event.identity])).update(canonicalJson(event.payload));
  return hash.digest('hex');
}

/** The parts of an event that may not differ when it is pushed again. */
export type EventContent = Pick<NewEvent, 'identity' | 'payload'>;

/** Whether two events with the same `event_id` are also the same in what is sent, and to whom. */
export const hasSameContent = (a: EventContent, b: EventContent): boolean =>
  a.identity === b.identity && (a.payload === b.payload || canonicalJson(a.payload) === canonicalJson(b.payload));
