import type { z } from 'zod';
import { isDeeperThan } from './is-deeper-than.js';
import type { EventName, NewEvent } from './event.js';
import { envelopeSchema, notAnObjectMessage, ownPayloadSchema, payloadSchema } from './event-schema.js';
import { measureDepth, memberTexts } from './scan-json.js';
import { parseJson } from './parse-json.js';
import { isStorable } from './storable.js';

export type ParsedEvent =
  { ok: true; event: NewEvent } | { ok: false; errors: Record<string, string[]>; reason: string };

/**
 * Validates an event as a platform sends it: `{event, account_id, webhook_id, identity, event_id, payload}`. It checks
 * the envelope and `payload.id`, refuses a NUL in `payload.mobile` and more than 64 levels, and leaves the payload
 * unchanged (docs/reference/events.md#fields). `source` is the JSON text of a payload that is an object, if it is known:
 * the event keeps that text. Never throws.
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

const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '');
const fieldsByLetters = new Map(
  ['account_id', 'webhook_id', 'identity', 'event_id'].map((field) => [lettersOf(field), field]),
);

/**
 * Errors of fields such as `webhookId`. Other unknown fields are ignored, but without its `webhook_id` an event would go
 * to all subscribers.
 */
function misspeltFields(input: object): Record<string, string[]> {
  const errors: Record<string, string[]> = {};
  for (const name of Object.keys(input)) {
    const field = fieldsByLetters.get(lettersOf(name));
    if (field !== undefined && field !== name) errors[name] = [`${name} is not a field of an event: write ${field}`];
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
  return typeof found === 'string' ? found.slice(0, 255) : null;
}
