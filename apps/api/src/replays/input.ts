import { z } from 'zod';
import type { DeliveryFilter } from '@ringback/database';
import { deliveryFilterSchema } from '../deliveries/filter.js';
import { validationError } from '../http/output/api-error.js';
import { validate } from '../http/input/validate.js';

const rateRange = 'The rate field must be an integer between 1 and 1000.';

// The schema is strict, so that a misspelt filter does not select too many deliveries.
export const newReplaySchema = z.strictObject(
  {
    filter: deliveryFilterSchema.prefault({}),
    dry_run: z.boolean('The dry_run field must be true or false.').default(false),
    rate: z.int(rateRange).min(1, rateRange).max(1_000, rateRange).default(50),
    _method: z.unknown().optional(),
  },
  {
    error: ({ code, keys }) =>
      code === 'unrecognized_keys'
        ? `The ${String(keys?.[0])} field is not supported. Supported: filter, dry_run, rate.`
        : undefined,
  },
);

export type ReplayRequest = { filter: DeliveryFilter; dryRun: boolean; rate: number };

/**
 * Reads `{filter, dry_run, rate}`. Without `filter.status` the filter selects failed and skipped deliveries. Throws a
 * 422 for invalid or unknown fields, and if the filter selects pending deliveries, which cannot be replayed, or a
 * webhook that is not the one in the path.
 */
export function readReplay(body: unknown, webhookId: string): ReplayRequest {
  const { filter, dry_run: dryRun, rate } = validate(newReplaySchema, body);
  if (filter.states?.includes('pending')) {
    throw validationError({
      'filter.status': ['Pending deliveries cannot be replayed. They are sent without a replay.'],
    });
  }
  if (filter.webhookId !== undefined && filter.webhookId !== webhookId) {
    throw validationError({ 'filter.webhook_id': ['The webhook_id filter must be the webhook of the path.'] });
  }
  return { filter: { ...filter, webhookId, states: filter.states ?? ['failed', 'skipped'] }, dryRun, rate };
}
