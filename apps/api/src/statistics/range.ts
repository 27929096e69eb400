import type { Request } from 'express';
import { z } from 'zod';
import {
  type BucketRange,
  countBuckets,
  isUuid,
  minuteRetentionDays,
  nextCoarserResolution,
  type Resolution,
  resolutions,
  type StatisticFilter,
  widenToBuckets,
} from '@ringback/ledger';
import { dayMs, parseTimestamp } from '@ringback/process';
import { eventNames } from '@ringback/rules';
import {
  describeFilters,
  oneOfWords,
  optionalFilter,
  optionalListFilter,
  queryText,
  readFilters,
  timeText,
  uuidText,
} from '../http/input.js';
import { validationError } from '../http/response.js';

// Outside these years, PostgreSQL and JavaScript do not format times in the same way.
const earliest = new Date('1970-01-01');
const latest = new Date('9998-12-31');
const maxBuckets = 1_500;
const maxDefaultBuckets = 200;
/** The maximum number of buckets of each webhook in an account's statistics. Only days may be more. */
export const maxWebhookBuckets = 60;
/** The maximum number of webhooks in a response, and of ids in `filter[webhook_id]`. */
export const maxWebhooks = 100;

const eventFilter = optionalFilter(
  z.enum(eventNames, `The event filter must be one of ${eventNames.join(', ')}.`),
  'Only this event.',
  oneOfWords(eventNames),
);
const webhookIdList = z
  .string('The webhook_id filter must have only UUIDs.')
  .transform((list) => list.split(',').map((id) => id.trim().toLowerCase()))
  .refine((ids) => ids.every(isUuid), 'The webhook_id filter must have only UUIDs.')
  .refine((ids) => ids.length <= maxWebhooks, `The webhook_id filter must not have more than ${maxWebhooks} ids.`);

const webhookFields = z.object({ event: eventFilter });
const accountFields = webhookFields.extend({
  webhook_id: optionalListFilter(webhookIdList, 'Only these webhooks: up to 100 ids, separated by commas.', uuidText),
});

const rangeQuery = {
  from: z.string().meta({
    description: 'The start: a day or a time, in UTC unless it has an offset. When absent, 24 hours before `to`.',
    documentedAs: timeText,
  }),
  to: z
    .string()
    .meta({ description: 'The end, which is not part of the range. When absent, now.', documentedAs: timeText }),
  interval: z
    .enum(resolutions)
    .optional()
    .describe(
      'The length of a bucket. The range may have at most 1,500 buckets. When absent, the shortest length with at ' +
        `most 200 buckets is chosen, or days if there is none. Minutes are kept for ${minuteRetentionDays} days.`,
    ),
};

/** The query parameters, for the OpenAPI document. */
export const webhookStatisticsQuery = { ...rangeQuery, ...describeFilters(webhookFields.shape) };
export const accountStatisticsQuery = { ...rangeQuery, ...describeFilters(accountFields.shape) };

type StatisticsInput = { range: BucketRange; filter: StatisticFilter };

export function readWebhookStatisticsInput(request: Request): StatisticsInput {
  const { filter } = readFilters(request, webhookFields, Object.keys(webhookFields.shape));
  return { range: readRange(request), filter };
}

export function readAccountStatisticsInput(request: Request): StatisticsInput {
  const { filter } = readFilters(request, accountFields, Object.keys(accountFields.shape));
  return { range: readRange(request), filter: { event: filter.event, webhookIds: filter.webhook_id } };
}

/** The range in whole buckets. Throws a 422 for an invalid range or interval, and for too many buckets. */
function readRange(request: Request, now = new Date()): BucketRange {
  const to = readTimeParameter(request, 'to') ?? now;
  const from = readTimeParameter(request, 'from') ?? new Date(to.getTime() - dayMs);
  if (from >= to) throw fieldError('from', 'The from field must be before the to field.');
  const isKept = (resolution: Resolution) =>
    resolution !== 'minute' || from.getTime() >= now.getTime() - minuteRetentionDays * dayMs;
  const ranges = resolutions.map((resolution) => widenToBuckets({ from, to, resolution }));
  const fits = (range: BucketRange) => isKept(range.resolution) && countBuckets(range) <= maxDefaultBuckets;
  const resolution = readInterval(request) ?? ranges.find(fits)?.resolution ?? 'day';
  const range = widenToBuckets({ from, to, resolution });
  if (!isKept(resolution))
    throw fieldError('interval', `Minutes are kept for ${minuteRetentionDays} days; choose a longer interval.`);
  if (countBuckets(range) <= maxBuckets) return range;
  throw fieldError('interval', `The range has more than ${maxBuckets} buckets; choose a longer interval.`);
}

function readTimeParameter(request: Request, field: 'from' | 'to'): Date | undefined {
  const text = queryText(request, field) ?? '';
  const time = text === '' ? undefined : parseTimestamp(text);
  if (time === null) throw fieldError(field, `The ${field} field must be a time such as 2026-01-31T12:00:00Z.`);
  if (time && (time < earliest || time > latest))
    throw fieldError(field, `The ${field} field must be between the years 1970 and 9998.`);
  return time;
}

function readInterval(request: Request): Resolution | undefined {
  const text = queryText(request, 'interval') ?? '';
  const interval = resolutions.find((resolution) => resolution === text);
  if (text !== '' && interval === undefined) throw fieldError('interval', 'The selected interval is invalid.');
  return interval;
}

const fieldError = (field: string, message: string) => validationError({ [field]: [message] });

/** The range in the shortest buckets, at least as long as its own, of which there are at most 60; else in days. */
export function coarsen(range: BucketRange): BucketRange {
  const resolution = nextCoarserResolution(range.resolution);
  if (resolution === undefined || countBuckets(range) <= maxWebhookBuckets) return range;
  return coarsen(widenToBuckets({ ...range, resolution }));
}
