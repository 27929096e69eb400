import { z } from 'zod';
import type { DeliveryFilter } from '@ringback/ledger';
import { deliveryFilterSchema } from '../deliveries/filter.js';
import { validationError } from '../http/output/api-error.js';
import { strictBody, validate } from '../http/input/validate.js';

const rateRange = 'The rate field must be an integer between 1 and 1000.';

const isEmpty = (value: unknown) => value === null || (typeof value === 'string' && value.trim() === '');

/** Refuses empty filters. In the query of a list, an empty filter counts as absent. */
const filterWithoutEmptyValues = z.preprocess((filter, { issues }) => {
  if (typeof filter !== 'object' || filter === null) return filter;
  for (const [name, value] of Object.entries(filter).filter(([, value]) => isEmpty(value))) {
    const message = `The ${name} filter must not be empty. Leave it out instead.`;
    issues.push({ code: 'custom', path: [name], message, input: value });
  }
  return filter;
}, deliveryFilterSchema);

// A misspelt or empty filter must not select too many deliveries, so both are errors.
export const newReplaySchema = strictBody({
  filter: filterWithoutEmptyValues.prefault({}),
  dry_run: z.boolean('The dry_run field must be true or false.').default(false),
  rate: z.int(rateRange).min(1, rateRange).max(1_000, rateRange).default(50),
});

export type ReplayRequest = { filter: DeliveryFilter; dryRun: boolean; rate: number };

/**
 * Reads `{filter, dry_run, rate}`. Without `filter.status` the filter selects failed and skipped deliveries. Throws a
 * 422 for invalid, unknown or empty fields, and if the filter selects pending deliveries, which cannot be replayed, or a
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
