import { z } from 'zod';
import type { Attempt, BriefAttempt, DeliveryDetail, LoggedDelivery } from '@ringback/ledger';
import { attemptFields, errorClasses, errorClassOf, restoreRequest } from '@ringback/rules';
import { formatTimestamp, timestampSchema } from '../http/response.js';
import { anyObjectOrNull } from '../openapi/schemas.js';
import { exampleWebhook } from '../webhooks/schema.js';
import { errorMeanings } from './filter.js';

/** How an attempt went, or the newest attempt of a delivery. */
export const resultSchema = {
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
  advice: z
    .string()
    .optional()
    .describe(
      "What the webhook's owner should do. Only in an attempt that did not succeed, or a delivery with such a newest attempt.",
    ),
};

const kind = z.string().describe('`scheduled`, `resend` for an attempt that was requested, or `test` for a test call.');

const milliseconds = z.number().nullable();
export const attemptSchema = z
  .object({
    number: z.int(),
    kind,
    started_at: timestampSchema,
    request: z
      .object({
        method: z.string(),
        url: z.string(),
        headers: z.record(z.string(), z.string()).nullable(),
        body: z.string().nullable(),
      })
      .meta({ id: 'SentRequest' })
      .describe(
        'The request as it was sent, with the token, or the user and password, masked. Headers and body are null when ' +
          'they were not stored.',
      ),
    response: z
      .object({
        code: z.int().nullable(),
        headers: z.unknown().meta({ documentedAs: anyObjectOrNull }),
        body: z.string().describe('The first KiB of the body.'),
      })
      .meta({ id: 'ReceivedResponse' })
      .nullable()
      .describe('Null when there was no response.'),
    timings: z
      .object({
        dns_ms: milliseconds,
        connect_ms: milliseconds,
        tls_ms: milliseconds,
        first_byte_ms: milliseconds,
        total_ms: z.number(),
      })
      .meta({ id: 'Timings' }),
    remote_address: z.string().nullable(),
    error: resultSchema.error,
    error_code: z.string().nullable(),
    advice: resultSchema.advice,
    warnings: z.array(z.string()),
  })
  .meta({ id: 'Attempt' });

export const briefAttemptSchema = z
  .object({ number: z.int(), kind, started_at: timestampSchema, duration_ms: z.number(), ...resultSchema })
  .meta({ id: 'BriefAttempt' });

type Result = { outcome: string | null; statusCode: number | null; advice: string | null };

/** `response_code`, `error` and `advice` of an attempt. */
export const resultFields = (channel: LoggedDelivery['channel'], { outcome, statusCode, advice }: Result) => {
  const error = outcome === null ? null : errorClassOf(channel, { outcome, statusCode });
  return { response_code: statusCode, error, ...(advice === null ? {} : { advice }) };
};

type AttemptContext = Pick<
  DeliveryDetail,
  'id' | 'eventName' | 'eventId' | 'webhookId' | 'payload' | 'receivedAt' | 'channel'
>;

/** An attempt with its request as it was sent, except that the token is masked, and with its response. */
export const attemptResource = (
  delivery: AttemptContext,
  attempt: Omit<Attempt, 'deliveryId' | 'verdict' | 'deliveryState'>,
): z.infer<typeof attemptSchema> => ({
  ...attemptFields(delivery.channel, attempt, restoreRequest(delivery, attempt)),
  started_at: formatTimestamp(attempt.startedAt),
});

/** An attempt without its request and response. */
export const briefAttemptResource = (
  { channel }: LoggedDelivery,
  attempt: BriefAttempt,
): z.infer<typeof briefAttemptSchema> => ({
  number: attempt.number,
  kind: attempt.kind ?? 'scheduled',
  started_at: formatTimestamp(attempt.startedAt),
  duration_ms: attempt.durationMs,
  ...resultFields(channel, attempt),
});

export const exampleDeliveryId = '0199f3a0-9e33-7abc-8def-0123456789ab';

/** The attempt that the examples of deliveries show. */
export const exampleAttempt: DeliveryDetail['attempts'][number] = {
  deliveryId: exampleDeliveryId,
  number: 1,
  startedAt: new Date('2026-01-15T09:32:08Z'),
  durationMs: 42,
  outcome: 'response',
  statusCode: 200,
  errorCode: null,
  advice: null,
  url: exampleWebhook.uri,
  responseBody: 'thanks',
  warnings: [],
  kind: 'scheduled',
  dnsMs: 1,
  connectMs: 2,
  tlsMs: 3,
  firstByteMs: 30,
  remoteAddress: '203.0.113.7',
  requestHeaders: { 'User-Agent': 'Ringback/1.2.3' },
  requestBody: null,
  responseHeaders: { 'content-type': 'text/plain' },
  verdict: 'delivered',
  deliveryState: 'delivered',
};
