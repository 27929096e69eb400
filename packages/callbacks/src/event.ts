import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isTooDeep } from './depth.js';
import { depthOfText, memberSources } from './json-source.js';

/** What platforms report. */
const platformEventNames = ['sms:message:status', 'rcs:message:status', 'rcs:message:in'] as const;
/** What webhooks can be called with: that, and what Ringback itself reports to the account. */
export const eventNames = [...platformEventNames, 'webhook:paused'] as const;
export type EventName = (typeof eventNames)[number];

export const channels = ['sms', 'rcs'] as const;
export type Channel = (typeof channels)[number];

/** The channel whose delivery rules hold for an event. For what Ringback reports those of SMS do: they go on for longer. */
export function channelOf(event: EventName): Channel {
  return event === 'sms:message:status' || event === 'webhook:paused' ? 'sms' : 'rcs';
}

/** What a platform, or Ringback itself, reported: a strict envelope around open contents. */
export type PlatformEvent = {
  event: EventName;
  accountId: string | null;
  webhookId: string | null;
  identity: string | null;
  /** The platform's own id of the event. */
  eventId: string | null;
  /** JSON text of an object: byte for byte as it came, when its text is known. */
  payload: string;
  /** `payload.id`; null when the event is of no message. */
  messageId: string | null;
  mobile: string | null;
};

export type ParsedEvent =
  { ok: true; event: PlatformEvent } | { ok: false; errors: Record<string, string[]>; reason: string };

const typed = (name: string, what: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? `${name} is required` : `${name} must be ${what}`),
});
const storable = (value: string) => value.isWellFormed() && !value.includes('\0');
const text = (name: string, what = 'a string') =>
  z
    .string(typed(name, what))
    .min(1, `${name} must not be empty`)
    .max(255, `${name} must not be longer than 255 characters`)
    .refine(storable, `${name} holds a character that is not allowed`);
/** Null and "" are what platforms write for a text that they do not have. */
const optionalText = (name: string) =>
  z
    .preprocess((value) => (value === '' ? null : value), text(name).nullish())
    .meta({ anyOf: [{ type: 'string', maxLength: 255 }, { type: 'null' }], description: 'Empty and null: absent.' });
const id = (name: string) => z.guid(`${name} must be a UUID`).transform((value) => value.toLowerCase());

const envelopeSchema = z
  .object(
    {
      event: z.enum(platformEventNames, typed('event', `one of ${platformEventNames.join(', ')}`)),
      account_id: id('account_id').nullish(),
      webhook_id: id('webhook_id').nullish(),
      // As in subscriptions, so that the two are equal when they look equal.
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

const hasNoNul = (value: unknown) => typeof value !== 'string' || !value.includes('\0');
const notAnObject = 'payload must be an object, or the JSON text of one';
// The mobile number is kept in a column of its own, and PostgreSQL cannot hold a NUL.
const mobile = z.unknown().refine(hasNoNul, 'payload.mobile holds a character that is not allowed').optional();
const messageId = text('payload.id', 'a string or an integer').meta({
  type: ['string', 'integer'],
  description: 'Of an integer, its decimal digits are the id of the message.',
});
const payloadSchema = z.looseObject({ id: messageId, mobile }, notAnObject);
// What Ringback reports is of no message.
const ownPayloadSchema = z.looseObject({ id: messageId.nullable().default(null), mobile }, notAnObject);

/** What `parseEvent` takes, for documents: they cannot say that one of the two ids is needed. */
export const eventSchema = envelopeSchema.safeExtend({
  payload: z.union([payloadSchema, z.string()]).describe('An object, or the JSON text of one, which is sent as it is.'),
});

/**
 * Reads an event as a platform pushes it: `{event, account_id, webhook_id, identity, event_id, payload}`. The envelope
 * and `payload.id` are checked, the rest of the payload is carried through unchanged (behaviour: events in). A payload
 * that is an object is kept as `source`, the text that it was parsed from, where there is one. Never throws, whatever
 * comes.
 */
export function parseEvent(input: unknown, source?: string): ParsedEvent {
  const envelope = envelopeSchema.safeParse(input);
  const raw = typeof input === 'object' && input !== null && 'payload' in input ? input.payload : undefined;
  const payload = readPayload(raw, source, payloadSchema);
  const errors = { ...(envelope.success ? {} : errorsOf(envelope.error)), ...(payload.ok ? {} : payload.errors) };
  if (!envelope.success || !payload.ok) {
    return { ok: false, errors, reason: Object.values(errors).flat().join('; ') };
  }
  const { event, account_id: accountId, webhook_id: webhookId, identity, event_id: eventId } = envelope.data;
  const ids = { accountId: accountId ?? null, webhookId: webhookId ?? null };
  const rest = { identity: identity ?? null, eventId: eventId ?? null, payload: payload.text };
  return { ok: true, event: { event, ...ids, ...rest, messageId: payload.id, mobile: mobileOf(payload.value) } };
}

/**
 * Reads the payload of an event by itself, whoever reports such events; `source` is the text of an object, where there is
 * one. Never throws, whatever comes.
 */
export function parsePayload(event: EventName, raw: unknown, source?: string): Payload {
  return readPayload(raw, source, event === 'webhook:paused' ? ownPayloadSchema : payloadSchema);
}

type Payload =
  | { ok: true; text: string; id: string | null; value: Record<string, unknown> }
  | { ok: false; errors: Record<string, string[]> };

type KnownPayload = { id: string | null; [field: string]: unknown };

const mostDepth = 64;

function readPayload(raw: unknown, source: string | undefined, schema: z.ZodType<KnownPayload>): Payload {
  const complain = (message: string): Payload => ({ ok: false, errors: { payload: [message] } });
  if (raw === undefined || raw === null) return complain('payload is required');
  const value = typeof raw === 'string' ? parseJson(raw) : raw;
  const given = typeof raw === 'string' ? raw : source;
  if (isTooDeep(value, mostDepth)) return complain('payload is nested too deeply');
  const parsed = schema.safeParse(withTextId(value, given));
  if (!parsed.success) return { ok: false, errors: errorsOf(parsed.error, 'payload') };
  const text = given ?? jsonTextOf(value);
  if (text === undefined) return complain(notAnObject);
  if (given !== undefined && depthOfText(given) > mostDepth) return complain('payload is nested too deeply');
  return { ok: true, text, id: parsed.data.id, value: parsed.data };
}

/** The same payload, with the decimal digits in the place of an `id` that is an integer. */
function withTextId(value: unknown, source: string | undefined): unknown {
  const id: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'id') : undefined;
  if (typeof id !== 'number' || !Number.isInteger(id)) return value;
  if (Number.isSafeInteger(id)) return { ...Object(value), id: String(id) };
  // Beyond 2^53 only the text has every digit.
  const written = source === undefined ? undefined : memberSources(source, 'id')[0];
  return { ...Object(value), id: /^-?\d+$/.test(written ?? '') ? written : String(BigInt(id)) };
}

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** Undefined for what JSON has no text for, such as a BigInt. */
function jsonTextOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

const isSame = (one: z.core.$ZodIssue, other: z.core.$ZodIssue) => one.path.join('.') === other.path.join('.');

function errorsOf(error: z.ZodError, ...prefix: string[]): Record<string, string[]> {
  const errors: Record<string, string[]> = {};
  for (const issue of error.issues) {
    const field = [...prefix, ...issue.path].join('.') || 'event';
    // Of a value of the wrong type nothing else is said.
    const isMistyped = error.issues.some((one) => one.code === 'invalid_type' && one !== issue && isSame(one, issue));
    if (!isMistyped || issue.code === 'invalid_type') (errors[field] ??= []).push(issue.message);
  }
  return errors;
}

function mobileOf(payload: Record<string, unknown>): string | null {
  const { mobile, to, recipient } = payload;
  const from: unknown =
    typeof recipient === 'object' && recipient !== null ? Reflect.get(recipient, 'from') : undefined;
  const found = [mobile, to, from].find((value) => typeof value === 'string' && storable(value));
  return typeof found === 'string' ? found.slice(0, 255) : null;
}

/**
 * The key by which a repeated push is recognised (behaviour: idempotency): within the account, and the webhook when
 * one is given, the platform's `event_id` when given, else the message's id, with its status where it has one.
 * SHA-256, lower-case hex.
 */
export function idempotencyKey(event: PlatformEvent, accountId: string): string {
  const own = event.eventId === null ? ['message', event.messageId, ...statusOf(event)] : ['event', event.eventId];
  const parts = [event.event, accountId, event.webhookId, ...own];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function statusOf({ event, payload }: PlatformEvent): unknown[] {
  if (event === 'rcs:message:in') return [];
  const value = parseJson(payload);
  const status: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'status') : undefined;
  return [status ?? null];
}

/** The body of a callback without a template: the flat report for SMS, event and payload for all others. */
export function bodyOf(event: EventName, payload: string): string {
  return event === 'sms:message:status' ? payload : `{"event":${JSON.stringify(event)},"payload":${payload}}`;
}
