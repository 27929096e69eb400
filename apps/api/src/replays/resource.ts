import { z } from 'zod';
import { errorClasses, eventNames } from '@ringback/rules';
import type { Replay } from '@ringback/ledger';
import { timestampSchema, formatTimestamp } from '../http/output/timestamp.js';

export const replaySchema = z
  .object({
    id: z.uuid(),
    webhook_id: z.uuid(),
    state: z.enum(['running', 'done', 'cancelled']),
    status: z.enum(['running', 'done', 'cancelled']).describe('The old name of `state`, with the same value.'),
    reason: z.string().nullable().describe('Why the service cancelled the replay; null otherwise.'),
    filter: z
      .object({
        status: z.string().nullable(),
        event: z.enum(eventNames).nullable(),
        message_id: z.string().nullable(),
        mobile: z.string().nullable(),
        response_code: z.int().nullable(),
        error: z.enum(errorClasses).nullable(),
        since: timestampSchema.nullable(),
        until: timestampSchema.nullable(),
      })
      .describe('The effective filter.'),
    rate: z.int().describe('The maximum number of deliveries per second.'),
    total: z
      .int()
      .nullable()
      .describe('The number of matching deliveries at the start; null when there were too many to count.'),
    replayed: z.int(),
    created_at: timestampSchema,
    updated_at: timestampSchema,
    finished_at: timestampSchema.nullable(),
  })
  .meta({ id: 'Replay' });

export const replayCountSchema = z
  .object({ count: z.int(), complete: z.boolean().describe('False when there are more deliveries than the count.') })
  .meta({ id: 'ReplayCount' });

/** The result of a dry run in the format of the API. */
export const replayCountResource = ({
  count,
  isComplete,
}: {
  count: number;
  isComplete: boolean;
}): z.infer<typeof replayCountSchema> => ({ count, complete: isComplete });

/** A replay in the format of the API, with its effective filter. */
export const replayResource = ({ filter, ...replay }: Replay): z.infer<typeof replaySchema> => ({
  id: replay.id,
  webhook_id: replay.webhookId,
  state: replay.state,
  status: replay.state,
  reason: replay.reason,
  filter: {
    status: filter.states?.join(',') ?? null,
    event: filter.event ?? null,
    message_id: filter.messageId ?? null,
    mobile: filter.mobile ?? null,
    response_code: filter.responseCode ?? null,
    error: filter.error ?? null,
    since: formatTimestamp(filter.since ?? null),
    until: formatTimestamp(filter.until ?? null),
  },
  rate: replay.rate,
  total: replay.total,
  replayed: replay.replayed,
  created_at: formatTimestamp(replay.createdAt),
  updated_at: formatTimestamp(replay.updatedAt),
  finished_at: formatTimestamp(replay.finishedAt),
});
