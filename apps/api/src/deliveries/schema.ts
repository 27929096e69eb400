import { z } from 'zod';
import { errorClasses, eventNames } from '@ringback/rules';
import { errorMeanings } from './error-meanings.js';
import { timestampSchema } from '../http/output/timestamp.js';

const resultFields = {
  response_code: z
    .int()
    .nullable()
    .describe('The HTTP status of the attempt, for a delivery of its newest attempt; null without a response.'),
  error: z
    .enum(errorClasses)
    .nullable()
    .describe(
      `How the attempt failed, for a delivery its newest attempt; null for success or no attempt. ${errorMeanings}`,
    ),
};
const payload = z.unknown().meta({ type: 'object', description: 'The payload as the platform sent it.' });
const identity = z.string().nullable();
const mobile = z.string().nullable();
const kind = z.string().describe('`scheduled`, `resend` for an attempt that was requested, or `test` for a test call.');

const deliveryFields = z.object({
  id: z.uuid().describe('The `X-Ringback-Delivery` of every attempt.'),
  webhook_id: z.uuid(),
  event_id: z.uuid(),
  event: z.enum(eventNames),
  message_id: z.string().nullable(),
  mobile,
  state: z.enum(['pending', 'delivered', 'failed', 'skipped']),
  status: z
    .enum(['pending', 'delivered', 'failed', 'skipped'])
    .describe('The old name of `state`, with the same value.'),
  reason: z.string().nullable().describe('Why the delivery was skipped or failed.'),
  attempt_count: z.int(),
  ...resultFields,
  due_at: timestampSchema
    .nullable()
    .describe('The time of the next attempt. Null when the delivery is final, and while its webhook is paused.'),
  next_attempt_at: timestampSchema.nullable().describe('The old name of `due_at`, with the same value.'),
  paused: z.literal(true).optional().describe('Present in a pending delivery while its webhook is paused.'),
  created_at: timestampSchema,
  updated_at: timestampSchema,
});
export const deliverySchema = deliveryFields.meta({ id: 'Delivery' });

const milliseconds = z.number().nullable();
export const attemptSchema = z
  .object({
    number: z.int(),
    kind,
    started_at: timestampSchema,
    request: z
      .object({
        method: z.literal('POST'),
        url: z.string(),
        headers: z.record(z.string(), z.string()).nullable(),
        body: z.string().nullable(),
      })
      .describe(
        'The request as it was sent, with the token masked. Headers and body are null when they were not stored.',
      ),
    response: z
      .object({
        code: z.int().nullable(),
        headers: z.unknown().meta({ type: ['object', 'null'] }),
        body: z.string().describe('The first KiB of the body.'),
      })
      .nullable()
      .describe('Null when there was no response.'),
    timings: z.object({
      dns_ms: milliseconds,
      connect_ms: milliseconds,
      tls_ms: milliseconds,
      first_byte_ms: milliseconds,
      total_ms: z.number(),
    }),
    remote_address: z.string().nullable(),
    error: resultFields.error,
    error_code: z.string().nullable(),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'Attempt' });

export const deliveryDetailSchema = deliveryFields
  .extend({
    identity,
    payload,
    received_at: timestampSchema,
    attempts: z.array(attemptSchema).describe('The newest 100, oldest first.'),
  })
  .meta({ id: 'DeliveryDetail' });

export const briefAttemptSchema = z
  .object({ number: z.int(), kind, started_at: timestampSchema, duration_ms: z.number(), ...resultFields })
  .meta({ id: 'BriefAttempt' });

const messageEventSchema = z
  .object({
    id: z.uuid(),
    event: z.enum(eventNames),
    identity,
    mobile,
    state: z.enum(['routed', 'unrouted']),
    status: z.enum(['routed', 'unrouted']).describe('The old name of `state`, with the same value.'),
    payload,
    received_at: timestampSchema,
    deliveries: z.array(
      deliveryFields.extend({ attempts: z.array(briefAttemptSchema) }).meta({ id: 'MessageDelivery' }),
    ),
  })
  .meta({ id: 'MessageEvent' });

export const messageSchema = z
  .object({ message_id: z.string(), events: z.array(messageEventSchema) })
  .meta({ id: 'Message' });
