import type { DeliveryOutcome } from '@ringback/rules';
import type { Database } from '../connection/database.js';
import { DeliveryState } from '../generated/enums.js';
import { allOrNull, boolean, enumOf, integer, type RowOf, text, timestamp, uuid } from '../sql/columns.js';
import { preparedStatement, statement } from '../sql/statement.js';

// Outcomes are read in the order of their positions. A row has the id of the transaction that recorded it as its
// position, and a reader sees only positions below the horizon: the oldest transaction id that may still be open. So no
// row can appear before one that a reader has seen, and a delivery costs one entry of an index more.
// outcome-positions.ts has what may hold the horizon back.

export const outcomeTypes = ['attempt', 'delivery'] as const;
export type OutcomeType = (typeof outcomeTypes)[number];

/**
 * A place in the order of outcomes, after a row: its position, its delivery, the number of its attempt (0 for a
 * delivery that ended without one), and the step: 1 is the row of the attempt, 2 that of the delivery which ended with
 * it.
 */
export type OutcomeCursor = { position: string; deliveryId: string; number: number; step: number };

const cursorBytes = 30;
const cursorVersion = 1;

/** Writes a cursor as 40 characters that may stand in a URL. */
export function formatOutcomeCursor({ position, deliveryId, number, step }: OutcomeCursor): string {
  const bytes = Buffer.alloc(cursorBytes);
  bytes.writeUInt8(cursorVersion, 0);
  bytes.writeBigUInt64BE(BigInt(position), 1);
  bytes.write(deliveryId.replaceAll('-', ''), 9, 'hex');
  bytes.writeUInt32BE(number, 25);
  bytes.writeUInt8(step, 29);
  return bytes.toString('base64url');
}

/** Reads a cursor. Null when the text is none. */
export function parseOutcomeCursor(text: string): OutcomeCursor | null {
  const bytes = /^[\w-]{40}$/.test(text) ? Buffer.from(text, 'base64url') : Buffer.alloc(0);
  if (bytes.length !== cursorBytes || bytes.readUInt8(0) !== cursorVersion) return null;
  const hex = bytes.toString('hex', 9, 25);
  const deliveryId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const [number, step] = [bytes.readUInt32BE(25), bytes.readUInt8(29)];
  if (number > 0x7f_ff_ff_ff || step < 1 || step > 2) return null;
  return { position: bytes.readBigUInt64BE(1).toString(), deliveryId, number, step };
}

/** A cursor that the database has not reached: it is of another service, or the database was restored since. */
export class ForeignCursorError extends Error {
  override readonly name = 'ForeignCursorError';
}

/** Retention has removed rows after the cursor. */
export class ExpiredCursorError extends Error {
  override readonly name = 'ExpiredCursorError';
}

type PageParameters = OutcomeCursor & { types: readonly OutcomeType[]; limit: number };

const afterCursorSql = (number: string) => `position >= $position::xid8 AND position < ringback_outcome_horizon()
      AND (position, delivery_id, ${number}) >= ($position::xid8, $deliveryId::uuid, $number::int)`;

const rowColumns = {
  position: text,
  deliveryId: uuid,
  number: integer,
  step: integer,
  at: timestamp,
  verdict: text.orNull,
  deliveryState: enumOf('delivery_state', DeliveryState).orNull,
  outcome: text.orNull,
  statusCode: integer.orNull,
  durationMs: integer.orNull,
  accountId: uuid,
  webhookId: uuid,
  eventId: uuid,
  externalId: text.orNull,
  event: text.orNull,
  platformEventId: text.orNull,
  messageId: text.orNull,
};

// One row more than the limit, because the row at the cursor may be read again. The last one that was examined is where
// the next page begins, also if the types leave it out. LATERAL and OFFSET 0 make PostgreSQL join row by row.
const pageStatement = preparedStatement<PageParameters>(
  'read_outcomes',
  `WITH found AS MATERIALIZED (
    SELECT * FROM (
      (SELECT position, delivery_id, number, started_at + duration_ms * interval '1 millisecond' AS at, verdict,
          delivery_state, outcome, status_code, duration_ms
        FROM attempts WHERE ${afterCursorSql('number')} ORDER BY position, delivery_id, number LIMIT $limit::int + 1)
      UNION ALL
      (SELECT position, delivery_id, 0, at, NULL, state, NULL, NULL, NULL
        FROM delivery_ends WHERE ${afterCursorSql('0')} ORDER BY position, delivery_id LIMIT $limit::int + 1)
    ) f ORDER BY position, delivery_id, number LIMIT $limit::int + 1
  ), page AS MATERIALIZED (
    SELECT f.*, s.step FROM found f CROSS JOIN (VALUES (1), (2)) AS s(step)
      WHERE CASE s.step WHEN 1 THEN f.number > 0 AND 'attempt' = ANY($types::text[])
          ELSE f.delivery_state IS NOT NULL AND 'delivery' = ANY($types::text[]) END
        AND (f.position, f.delivery_id, f.number, s.step) > ($position::xid8, $deliveryId::uuid, $number::int, $step::int)
      ORDER BY f.position, f.delivery_id, f.number, s.step LIMIT $limit::int
  ), held AS (
    (SELECT started_at + duration_ms * interval '1 millisecond' AS at FROM attempts
      WHERE position >= ringback_outcome_horizon() ORDER BY position LIMIT 1)
    UNION ALL
    (SELECT at FROM delivery_ends WHERE position >= ringback_outcome_horizon() ORDER BY position LIMIT 1)
  ), page_state AS (
    SELECT (SELECT count(*)::int FROM found) AS "foundCount", l.position::text AS "lastPosition",
        l.delivery_id AS "lastDeliveryId", l.number AS "lastNumber", (SELECT min(at) FROM held) AS "heldSince",
        $position::xid8 >= ringback_outcome_horizon() AS "isAhead",
        EXISTS (SELECT FROM partition_drops WHERE last_position > $position::xid8) AS "isExpired"
      FROM (SELECT) one LEFT JOIN (SELECT * FROM found ORDER BY position DESC, delivery_id DESC, number DESC LIMIT 1) l ON true
  )
  SELECT s.*, p.position::text AS position, p.delivery_id AS "deliveryId", p.number, p.step, p.at, p.verdict,
      p.delivery_state AS "deliveryState", p.outcome, p.status_code AS "statusCode", p.duration_ms AS "durationMs",
      d.account_id AS "accountId", d.webhook_id AS "webhookId", d.event_id AS "eventId", a.external_id AS "externalId",
      e.name AS event, e.platform_event_id AS "platformEventId", e.message_id AS "messageId"
    FROM page_state s LEFT JOIN page p ON true
      LEFT JOIN LATERAL (SELECT * FROM deliveries WHERE id = p.delivery_id OFFSET 0) d ON true
      LEFT JOIN LATERAL (SELECT * FROM events WHERE id = d.event_id OFFSET 0) e ON true
      LEFT JOIN accounts a ON a.id = d.account_id
    ORDER BY p.position, p.delivery_id, p.number, p.step`,
).returns({
  foundCount: integer.orNull,
  lastPosition: text.orNull,
  lastDeliveryId: uuid.orNull,
  lastNumber: integer.orNull,
  heldSince: timestamp.orNull,
  isAhead: boolean,
  isExpired: boolean,
  ...allOrNull(rowColumns),
});

type Row = RowOf<typeof rowColumns>;

export type OutcomeRow = DeliveryOutcome & { cursor: OutcomeCursor };

export type OutcomePage = {
  outcomes: OutcomeRow[];
  /** Where the next page begins. The given one if there was nothing; null at the start of no outcomes at all. */
  cursor: OutcomeCursor | null;
  /** Nothing that a reader may see follows. */
  isEnd: boolean;
  /** When the oldest outcome ended that no reader may see yet, because an older transaction is open; null for none. */
  heldSince: Date | null;
};

const firstCursor: OutcomeCursor = {
  position: '0',
  deliveryId: '00000000-0000-0000-0000-000000000000',
  number: 0,
  step: 0,
};

/**
 * The outcomes of all accounts after a cursor, at most `limit`, or from the oldest that is kept. It examines at most
 * `limit` attempts and ends, so a page may be short, or empty with a later cursor, although more follows. Throws a
 * ForeignCursorError or an ExpiredCursorError.
 */
export async function readOutcomes(
  db: Database,
  {
    cursor,
    types = outcomeTypes,
    limit,
  }: { cursor: OutcomeCursor | null; types?: readonly OutcomeType[]; limit: number },
): Promise<OutcomePage> {
  const rows = await pageStatement.rows(db.pool, { ...(cursor ?? firstCursor), types, limit });
  const [state] = rows;
  if (cursor !== null && state?.isAhead) throw new ForeignCursorError('the database has not reached the cursor');
  if (cursor !== null && state?.isExpired) throw new ExpiredCursorError('rows after the cursor are no longer kept');
  const outcomes = rows.filter((row) => row.deliveryId !== null).map((row) => toOutcome(row as Row));
  const isCut = outcomes.length >= limit;
  return {
    outcomes,
    cursor: (isCut ? outcomes.at(-1)?.cursor : lastExamined(state)) ?? cursor,
    isEnd: !isCut && (state?.foundCount ?? 0) <= limit,
    heldSince: state?.heldSince ?? null,
  };
}

type PageState = { lastPosition: string | null; lastDeliveryId: string | null; lastNumber: number | null };

function lastExamined(state: PageState | undefined): OutcomeCursor | null {
  const { lastPosition: position, lastDeliveryId: deliveryId, lastNumber: number } = state ?? {};
  return position && deliveryId ? { position, deliveryId, number: number ?? 0, step: 2 } : null;
}

const stateOfVerdict: Record<string, DeliveryState> = { delivered: 'delivered', retry: 'pending' };

function toOutcome({ position, deliveryId, number, step, verdict, deliveryState, ...row }: Row): OutcomeRow {
  const isAttempt = step === 1;
  return {
    cursor: { position, deliveryId, number, step },
    type: isAttempt ? 'attempt' : 'delivery',
    at: row.at,
    accountId: row.accountId,
    externalId: row.externalId,
    webhookId: row.webhookId,
    event: row.event,
    eventId: row.eventId,
    platformEventId: row.platformEventId,
    messageId: row.messageId,
    deliveryId,
    attemptNumber: number === 0 ? null : number,
    state: isAttempt ? (stateOfVerdict[verdict ?? ''] ?? 'failed') : (deliveryState ?? 'failed'),
    outcome: row.outcome,
    statusCode: row.statusCode,
    durationMs: row.durationMs,
  };
}

const newestStatement = statement(`SELECT position::text AS position FROM (
    (SELECT position FROM attempts WHERE position < ringback_outcome_horizon() ORDER BY position DESC LIMIT 1)
    UNION ALL
    (SELECT position FROM delivery_ends WHERE position < ringback_outcome_horizon() ORDER BY position DESC LIMIT 1)
  ) n ORDER BY n.position DESC LIMIT 1`).returns({ position: text });

/** The position of the newest outcome that a reader may see; null if there is none. Two probes of an index. */
export async function findNewestOutcomePosition(db: Database): Promise<bigint | null> {
  const row = await newestStatement.row(db.pool, {});
  return row === undefined ? null : BigInt(row.position);
}
