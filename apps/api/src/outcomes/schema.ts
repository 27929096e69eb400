import type { Request } from 'express';
import { z } from 'zod';
import {
  formatOutcomeCursor,
  type OutcomeRow,
  type OutcomeCursor,
  type OutcomePage,
  outcomeTypes,
  type OutcomeType,
  parseOutcomeCursor,
} from '@ringback/ledger';
import { eventNames, outcomeFields } from '@ringback/rules';
import { exampleCaller } from '../accounts/schema.js';
import { exampleDelivery } from '../deliveries/schema.js';
import { queryText } from '../http/input.js';
import { tagOperations } from '../http/operation.js';
import { type FieldErrors, formatTimestamp, timestampSchema, validationError } from '../http/response.js';

const defaultLimit = 100;
const maxLimit = 1_000;
const maxWaitS = 30;

export type OutcomeRequest = {
  cursor: OutcomeCursor | null;
  types: readonly OutcomeType[];
  limit: number;
  waitMs: number;
};

/** Reads `cursor`, `limit`, `wait` and `types`. Throws a 422 with the errors of all four. An empty one is absent. */
export function readOutcomeRequest(request: Request): OutcomeRequest {
  const errors: FieldErrors = {};
  const wholeNumber = (name: string, [min, max, otherwise]: [number, number, number]) => {
    const text = queryText(request, name) ?? '';
    const number = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    if (text !== '' && !(number >= min && number <= max))
      errors[name] = [`The ${name} parameter must be a whole number from ${min} to ${max}.`];
    return text === '' ? otherwise : number;
  };
  const cursorText = queryText(request, 'cursor') ?? '';
  const cursor = cursorText === '' ? null : parseOutcomeCursor(cursorText);
  if (cursorText !== '' && cursor === null) errors.cursor = ['The cursor is invalid.'];
  const limit = wholeNumber('limit', [1, maxLimit, defaultLimit]);
  const wait = wholeNumber('wait', [0, maxWaitS, 0]);
  const names = (queryText(request, 'types') ?? '').split(',').map((name) => name.trim());
  const types = outcomeTypes.filter((type) => names.includes(type));
  if (!names.every((name) => name === '' || types.some((type) => type === name)))
    errors.types = [`The types parameter must have only ${outcomeTypes.join(', ')}.`];
  if (Object.keys(errors).length > 0) throw validationError(errors);
  return { cursor, limit, waitMs: wait * 1_000, types: types.length === 0 ? outcomeTypes : types };
}

const ofAttempt = 'Null for a delivery that ended without an attempt.';

const outcomeSchema = z
  .object({
    cursor: z.string().describe('Where to read on after this row.'),
    type: z.enum(outcomeTypes),
    at: timestampSchema.describe('When the attempt, or the delivery, ended.'),
    account_id: z.uuid(),
    external_id: z.string().nullable().describe("The platform's id of the account."),
    webhook_id: z.uuid(),
    event: z.enum(eventNames).nullable(),
    event_id: z.uuid(),
    platform_event_id: z.string().nullable().describe('The `event_id` that the platform gave.'),
    message_id: z.string().nullable(),
    delivery_id: z.uuid(),
    attempt_number: z.int().nullable().describe(ofAttempt),
    state: z
      .enum(['pending', 'delivered', 'failed', 'skipped'])
      .describe('Of an attempt: what it alone means, `pending` if a retry follows. Of a delivery: its final state.'),
    outcome: z
      .string()
      .nullable()
      .describe(
        `\`response\`, or why there was none: \`timeout\`, \`dns\`, \`connect\`, \`tls\`, \`reset\`, \`refused\`, \`protocol\`. ${ofAttempt}`,
      ),
    response_code: z.int().nullable().describe('The HTTP status; null without a response.'),
    duration_ms: z.int().nullable().describe(ofAttempt),
  })
  .meta({ id: 'Outcome' });

export const outcomeResource = (row: OutcomeRow): z.infer<typeof outcomeSchema> => ({
  cursor: formatOutcomeCursor(row.cursor),
  ...outcomeFields(row),
  event: row.event as (typeof eventNames)[number] | null,
});

/** A row that waits for no more than this is nothing to speak of: each transaction is open for some time. */
const heldMs = 10_000;

const metaSchema = z
  .object({
    next_cursor: z
      .string()
      .nullable()
      .describe(
        'Where to read on: after the last row, or after those that `types` left out. Null before the first row.',
      ),
    held_since: timestampSchema
      .optional()
      .describe(
        'The end of the oldest row that waits, because a transaction of the database that began before it is still ' +
          `open; present if that is more than ${heldMs / 1_000} s ago.`,
      ),
  })
  .meta({ id: 'OutcomeMeta' });

/** When the oldest row ended that has been held back for so long that readers should know; null for none. */
export const longHeldSince = ({ heldSince }: Pick<OutcomePage, 'heldSince'>): Date | null =>
  heldSince !== null && Date.now() - heldSince.getTime() > heldMs ? heldSince : null;

export function outcomeMeta(page: OutcomePage): z.infer<typeof metaSchema> {
  const heldSince = longHeldSince(page);
  return {
    next_cursor: page.cursor && formatOutcomeCursor(page.cursor),
    ...(heldSince === null ? {} : { held_since: formatTimestamp(heldSince) }),
  };
}

const [exampleAttempt] = exampleDelivery.attempts;
const exampleOutcome: OutcomeRow = {
  cursor: { position: '31415926', deliveryId: exampleDelivery.id, number: 1, step: 2 },
  type: 'delivery',
  at: new Date('2026-01-15T09:32:08.042Z'),
  accountId: exampleCaller.id,
  externalId: exampleCaller.externalId,
  webhookId: exampleDelivery.webhookId,
  event: exampleDelivery.eventName,
  eventId: exampleDelivery.eventId,
  platformEventId: null,
  messageId: exampleDelivery.messageId,
  deliveryId: exampleDelivery.id,
  attemptNumber: 1,
  state: exampleDelivery.state,
  outcome: exampleAttempt?.outcome ?? null,
  statusCode: exampleAttempt?.statusCode ?? null,
  durationMs: exampleAttempt?.durationMs ?? null,
};
const examplePage = { outcomes: [exampleOutcome], cursor: exampleOutcome.cursor, isEnd: true, heldSince: null };

export const outcomeOperations = tagOperations('Outcomes', [
  {
    id: 'listOutcomes',
    route: 'GET /platform/outcomes',
    callerKind: 'platform',
    scope: 'outcomes',
    summary: 'Read what became of attempts and deliveries',
    description:
      'Of all accounts, in an order in which no row can appear before one that was read: who stores `meta.next_cursor`, ' +
      'or the `cursor` of the last row, and passes it on, misses nothing and gets nothing twice while the rows are ' +
      'kept. A delivery has a row for each time that it ends, so a resent one has several. A page may have fewer rows ' +
      'than `limit` although more follow. 410 when retention has removed rows after the cursor.',
    query: {
      cursor: z.string().optional().describe('Where to read on; without it the list starts with the oldest row kept.'),
      limit: z.int().min(1).max(maxLimit).optional().describe(`Maximum rows; ${defaultLimit} when absent.`),
      wait: z
        .int()
        .min(0)
        .max(maxWaitS)
        .optional()
        .describe('Seconds to wait for a row if there is none; 0 when absent.'),
      types: z.string().optional().describe('`attempt`, `delivery` or both, separated by a comma; both when absent.'),
    },
    response: { message: 'OK', data: z.array(outcomeSchema), extraFields: { meta: metaSchema } },
    errors: [410, 422, 429],
    example: {
      query: { types: 'delivery' },
      data: [outcomeResource(exampleOutcome)],
      extraFields: { meta: outcomeMeta(examplePage) },
    },
  },
]);
