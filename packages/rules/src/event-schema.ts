import { z } from 'zod';
import { platformEventNames } from './event.js';
import { isStorable } from './storable.js';
import { hasAtMostCharacters } from './has-at-most-characters.js';

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
const optionalText = (name: string) =>
  z
    .preprocess((value) => (value === '' ? null : value), text(name).nullish())
    .meta({
      anyOf: [{ type: 'string', maxLength: 255 }, { type: 'null' }],
      description: 'Empty and null mean absent.',
    });
const id = (name: string) => z.guid(`${name} must be a UUID`).transform((value) => value.toLowerCase());

/** The fields around the payload. At least one of `account_id` and `webhook_id` is required. */
export const envelopeSchema = z
  .object(
    {
      event: z.enum(platformEventNames, requiredOr('event', `one of ${platformEventNames.join(', ')}`)),
      account_id: id('account_id').nullish(),
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

export const notAnObjectMessage = 'payload must be an object, or the JSON text of one';

const hasNoNul = (value: unknown) => typeof value !== 'string' || !value.includes('\0');
// The mobile number is also stored in a text column, which cannot hold NUL.
const mobile = z.unknown().refine(hasNoNul, 'payload.mobile holds a character that is not allowed').optional();
const messageId = text('payload.id', 'a string or an integer').meta({
  type: ['string', 'integer'],
  description: 'The id of the message. An integer stands for its decimal digits.',
});
export const payloadSchema = z.looseObject({ id: messageId, mobile }, notAnObjectMessage);
/** The payload of an event that Ringback itself reports. It may lack a message id, because it concerns no message. */
export const ownPayloadSchema = z.looseObject({ id: messageId.nullable().default(null), mobile }, notAnObjectMessage);

/**
 * The input of `parseEvent`, for the OpenAPI document. The JSON Schema lacks the rule that one of the two ids is
 * required.
 */
export const eventSchema = envelopeSchema.safeExtend({
  payload: z
    .union([payloadSchema, z.string()])
    .describe('An object, or the JSON text of one, which is sent unchanged.'),
});
