import { z } from 'zod';
import type { Webhook } from '@ringback/ledger';
import { timestampSchema, formatTimestamp } from '../http/output/timestamp.js';

const webhookFields = z.object({
  id: z.uuid(),
  name: z.string(),
  uri: z.string().describe('The address as it was given, with its placeholders.'),
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
  signing: z.literal(false).optional().describe('Present when callbacks are not signed.'),
  rate_limit: z.int().optional().describe('The maximum number of callbacks per second; present when set.'),
  paused: z
    .object({
      since: timestampSchema,
      reason: z
        .enum(['failing', 'gone'])
        .describe('`failing`: all its callbacks failed for a long time. `gone`: it responded with 410.'),
    })
    .optional()
    .describe('Present while the webhook is paused. Its deliveries wait until the pause ends.'),
  deleted_at: timestampSchema.optional().describe('Present when the webhook is deleted.'),
  unreadable: z
    .array(z.enum(['secret', 'verification_code']))
    .optional()
    .describe(
      'The fields that are null because they cannot be decrypted with the keys of the operator; present when ' +
        'there are any.',
    ),
});

export const webhookSchema = webhookFields.meta({ id: 'Webhook' });
/** The response to `GET /developer/webhooks/{id}`, where `status` is a number. */
export const webhookDetailSchema = webhookFields
  .extend({ status: z.literal([1, 0]).describe('1 active, 0 inactive.') })
  .meta({ id: 'WebhookWithNumericStatus' });

type WebhookResource = z.infer<typeof webhookSchema> | z.infer<typeof webhookDetailSchema>;

/**
 * A webhook in the format of the API. `status` is a number in the response of `GET /developer/webhooks/{id}` and text
 * in all others (docs/reference/api.md#compatible-oddities). Fields that the specification does not have are present only if they differ
 * from their defaults.
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
    ...pauseOf(webhook),
    ...(webhook.deletedAt === null ? {} : { deleted_at: formatTimestamp(webhook.deletedAt) }),
    ...(webhook.unreadable.length === 0 ? {} : { unreadable: webhook.unreadable.map((field) => apiFieldNames[field]) }),
  };
}

const apiFieldNames = { secret: 'secret', verificationCode: 'verification_code' } as const;

function pauseOf({ pausedAt, pauseReason }: Webhook): Pick<WebhookResource, 'paused'> {
  if (pausedAt === null) return {};
  return { paused: { since: formatTimestamp(pausedAt), reason: pauseReason === 'gone' ? 'gone' : 'failing' } };
}
