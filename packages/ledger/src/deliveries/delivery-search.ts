import { type Channel, channelOf, type ErrorClass, type EventName, successStatuses } from '@ringback/rules';
import type { Delivery } from '../generated/client.js';
import { highestId, idAt, lowestId } from '../sql/ids.js';
import type { PageCursor } from '../sql/pages.js';
import { pausedSql } from '../webhooks/pauses.js';

/** Selects deliveries of an account. An absent field matches all. */
export type DeliveryFilter = {
  webhookId?: string | undefined;
  /** Matches a delivery in any of these states. */
  states?: Delivery['state'][] | undefined;
  event?: EventName | undefined;
  messageId?: string | undefined;
  mobile?: string | undefined;
  /** The response status of the newest attempt. */
  responseCode?: number | undefined;
  /** How the newest attempt failed. */
  error?: ErrorClass | undefined;
  /** Created at this time or later. */
  since?: Date | undefined;
  /** Created before this time. */
  until?: Date | undefined;
};

/**
 * Joins a delivery `d` with its event `e`, its newest attempt `a`, and `p.paused`: whether it is pending and its
 * webhook is paused. A delivery whose event was deleted has no row. LATERAL and OFFSET 0 make PostgreSQL join row by
 * row, so that a page reads no more rows than it needs.
 */
export const logJoinsSql = `CROSS JOIN LATERAL (SELECT * FROM events WHERE id = d.event_id OFFSET 0) e
  LEFT JOIN LATERAL (SELECT * FROM attempts WHERE delivery_id = d.id AND number = d.attempt_count OFFSET 0) a ON true
  CROSS JOIN LATERAL (SELECT d.state = 'pending' AND EXISTS (
    SELECT 1 FROM webhooks w WHERE w.id = d.webhook_id AND ${pausedSql}) AS paused) p`;

/** What a search looks for first, with an index. With a message, all matches are read and sorted. */
const sources = {
  account: 'd.account_id = $accountId',
  webhook: 'd.webhook_id = $webhookId',
  // For each webhook of a list.
  webhooks: 'd.webhook_id = w.id',
  message: ofMessageSql('e.message_id = $messageId'),
  mobile: ofMessageSql('e.mobile = $mobile'),
  messageAndMobile: ofMessageSql('e.message_id = $messageId AND e.mobile = $mobile'),
};

function ofMessageSql(condition: string): string {
  return `d.event_id IN (SELECT e.id FROM events e WHERE e.account_id = $accountId AND ${condition})`;
}

/** A kind of search, which has a statement of its own, because it uses another index. */
type SearchKind = {
  source: keyof typeof sources;
  /** Only deliveries that failed or were skipped, which the account and the webhook have further indexes for. */
  onlyUndelivered: boolean;
};

const isOfMessage = ({ source }: SearchKind) => sources[source].startsWith('d.event_id');
const kinds = Object.keys(sources)
  .map((source) => ({ source: source as SearchKind['source'], onlyUndelivered: false }))
  .flatMap((kind): SearchKind[] => (isOfMessage(kind) ? [kind] : [kind, { ...kind, onlyUndelivered: true }]));
const keyOf = ({ source, onlyUndelivered }: SearchKind) => `${source} ${onlyUndelivered}`;

export type SearchParameters = {
  accountId: string;
  webhookId: string | null;
  webhookIds: readonly string[] | null;
  messageId: string | null;
  mobile: string | null;
  /** The first id, the id after the last one, and the id after or before which the search starts. */
  sinceId: string;
  untilId: string;
  cursorId: string;
  states: readonly string[] | null;
  channel: string | null;
  event: string | null;
  responseCode: number | null;
  error: string | null;
};

export type DeliverySearch = { kind: SearchKind; parameters: SearchParameters };

const successesSql = (channel: Channel) => `'{${successStatuses(channel).join(',')}}'::int[]`;

/** The conditions of a filter on the rows that `logJoinsSql` joins. */
const rowConditionsSql = `d.account_id = $accountId
  AND ($states::text[] IS NULL OR d.state = ANY($states::delivery_state[]))
  AND ($event::text IS NULL OR (d.channel = $channel::text AND e.name = $event))
  AND ($responseCode::int IS NULL OR a.status_code = $responseCode)
  AND CASE WHEN $error::text IS NULL THEN true WHEN $error = 'status' THEN a.outcome = 'response' AND a.status_code
      <> ALL (CASE d.channel WHEN 'sms' THEN ${successesSql('sms')} ELSE ${successesSql('rcs')} END)
    ELSE a.outcome = $error END`;
const webhookConditionsSql = `($webhookId::uuid IS NULL OR d.webhook_id = $webhookId)
  AND ($webhookIds::uuid[] IS NULL OR d.webhook_id = ANY($webhookIds))`;

export type SearchSql = {
  /** Selects the ids of the rows that the search examines: the first `limit` after the cursor that its index finds. */
  examinedIdsSql: (direction: 'ASC' | 'DESC', limit: number) => string;
  /** What these rows must match. */
  conditionsSql: string;
};

function searchSql(kind: SearchKind): SearchSql {
  const examinedIdsSql = (direction: 'ASC' | 'DESC', limit: number) => {
    const orderSql = `ORDER BY d.id ${direction} LIMIT ${limit}`;
    const scanSql = `SELECT d.id FROM deliveries d WHERE ${sources[kind.source]}
      ${kind.onlyUndelivered ? `AND d.state IN ('failed', 'skipped')` : ''}
      AND d.id >= $sinceId AND d.id < $untilId AND d.id ${direction === 'ASC' ? '>' : '<'} $cursorId ${orderSql}`;
    return kind.source === 'webhooks'
      ? `SELECT d.id FROM unnest($webhookIds::uuid[]) w(id) CROSS JOIN LATERAL (${scanSql}) d ${orderSql}`
      : scanSql;
  };
  return {
    examinedIdsSql,
    conditionsSql: isOfMessage(kind) ? `${rowConditionsSql} AND ${webhookConditionsSql}` : rowConditionsSql,
  };
}

/** Defines a statement for each kind of search. The returned function finds that of a search. */
export function searchStatements<S>(define: (sql: SearchSql) => S): (search: DeliverySearch) => S {
  const statements = new Map(kinds.map((kind) => [keyOf(kind), define(searchSql(kind))]));
  return ({ kind }) => {
    const found = statements.get(keyOf(kind));
    if (found === undefined) throw new Error(`there is no statement for the search ${keyOf(kind)}`);
    return found;
  };
}

/**
 * The search for a filter: by the message id or mobile number if the filter has one, otherwise by the webhook or the
 * account. With `webhookIds` it finds only deliveries of these webhooks, and `filter.webhookId` must be absent.
 */
export function buildDeliverySearch(
  accountId: string,
  filter: DeliveryFilter,
  cursor: PageCursor | null,
  webhookIds?: readonly string[],
): DeliverySearch {
  const { webhookId, states, messageId, mobile, since, until, event, responseCode, error } = filter;
  const source = sourceOf(filter, webhookIds);
  const isOnlyUndelivered = states?.every((state) => state === 'failed' || state === 'skipped') ?? false;
  const kind: SearchKind = { source, onlyUndelivered: false };
  return {
    kind: isOfMessage(kind) ? kind : { source, onlyUndelivered: isOnlyUndelivered },
    parameters: {
      accountId,
      webhookId: webhookId ?? null,
      webhookIds: webhookIds ?? null,
      messageId: messageId ?? null,
      mobile: mobile ?? null,
      sinceId: since ? idAt(since) : lowestId,
      untilId: until ? idAt(until) : highestId,
      cursorId: cursor?.id ?? highestId,
      states: states ?? null,
      channel: event ? channelOf(event) : null,
      event: event ?? null,
      responseCode: responseCode ?? null,
      error: error ?? null,
    },
  };
}

function sourceOf(
  { webhookId, messageId, mobile }: DeliveryFilter,
  webhookIds?: readonly string[],
): SearchKind['source'] {
  if (messageId !== undefined) return mobile === undefined ? 'message' : 'messageAndMobile';
  if (mobile !== undefined) return 'mobile';
  if (webhookId !== undefined) return 'webhook';
  return webhookIds ? 'webhooks' : 'account';
}
