import { channelOf, type ErrorClass, type EventName, successStatuses } from '@ringback/callbacks';
import type { Delivery } from '../generated/client.js';
import type { LogCursor } from '../sql/log-page.js';
import { idAt } from '../sql/uuid.js';
import { pausedSql } from '../webhooks/pausing.js';

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
 * Joins a delivery `d` with its event `e`, its newest attempt `a`, and `p.paused`. LATERAL and OFFSET 0 make PostgreSQL
 * join row by row, so that a page reads no more rows than it needs.
 */
export const logJoinsSql = `CROSS JOIN LATERAL (SELECT * FROM events WHERE id = d.event_id OFFSET 0) e
  LEFT JOIN LATERAL (SELECT * FROM attempts WHERE delivery_id = d.id AND number = d.attempts OFFSET 0) a ON true
  CROSS JOIN LATERAL (SELECT d.state = 'pending' AND EXISTS (
    SELECT 1 FROM webhooks w WHERE w.id = d.webhook_id AND ${pausedSql}) AS paused) p`;

/** Collects the values of a statement and returns the placeholder of each. */
type Values = { all: unknown[]; add(value: unknown): string };

/**
 * The conditions of a filter, and the values of their placeholders. `candidates` are conditions on deliveries `d` for
 * which an index returns rows in the order of the log. They use the first `candidateValueCount` values. `checks` are
 * the other conditions, on the rows that `logJoinsSql` joins.
 */
export type DeliverySearch = {
  candidates: string;
  checks: string;
  values: unknown[];
  candidateValueCount: number;
  /** The placeholder of a list of webhook ids. `candidates` then selects the deliveries of one of them, `w.id`. */
  webhooks: string | null;
};

/**
 * Chooses the index for a filter: that of the message id or mobile number if the filter has one, otherwise that of the
 * webhook or the account. The webhook and the account have further indexes for deliveries that failed or were skipped.
 * With `webhookIds` it finds only deliveries of these webhooks, and `filter.webhookId` must be absent.
 */
export function buildDeliverySearch(
  accountId: string,
  filter: DeliveryFilter,
  cursor: LogCursor | null,
  webhookIds?: readonly string[],
): DeliverySearch {
  const all: unknown[] = [];
  const values = { all, add: (value: unknown) => `$${all.push(value)}` };
  const { webhookId, states, messageId, mobile } = filter;
  const candidates = timeConditionsOf(filter, cursor, values);
  // PostgreSQL refuses a value that no placeholder uses, so the account's id is added with its first use.
  let accountPlaceholder: string | undefined;
  const account = () => (accountPlaceholder ??= values.add(accountId));
  const isUndelivered = states?.every((state) => state === 'failed' || state === 'skipped') ?? false;
  const isOfMessage = messageId !== undefined || mobile !== undefined;
  const webhooks = webhookIds && !isOfMessage ? values.add(webhookIds) : null;
  if (isOfMessage) {
    const ofMessage = messageId === undefined ? '' : ` AND e.message_id = ${values.add(messageId)}`;
    const ofMobile = mobile === undefined ? '' : ` AND e.mobile = ${values.add(mobile)}`;
    candidates.push(
      `d.event_id IN (SELECT e.id FROM events e WHERE e.account_id = ${account()}${ofMessage}${ofMobile})`,
    );
  } else {
    if (webhooks !== null) candidates.push('d.webhook_id = w.id');
    else if (webhookId !== undefined) candidates.push(`d.webhook_id = ${values.add(webhookId)}`);
    else candidates.push(`d.account_id = ${account()}`);
    if (isUndelivered) candidates.push(`d.state IN ('failed', 'skipped')`);
  }
  const candidateValueCount = all.length;
  const checks = [`d.account_id = ${account()}`];
  if (webhookId !== undefined && isOfMessage) checks.push(`d.webhook_id = ${values.add(webhookId)}`);
  if (webhookIds && isOfMessage) checks.push(`d.webhook_id = ANY(${values.add(webhookIds)}::uuid[])`);
  if (states !== undefined) checks.push(`d.state = ANY(${values.add(states)}::delivery_state[])`);
  checks.push(...checksOf(filter, values));
  return {
    candidates: candidates.join(' AND '),
    checks: checks.join(' AND '),
    values: all,
    candidateValueCount,
    webhooks,
  };
}

function timeConditionsOf({ since, until }: DeliveryFilter, cursor: LogCursor | null, values: Values): string[] {
  return [
    ...(since === undefined ? [] : [`d.id >= ${values.add(idAt(since))}`]),
    ...(until === undefined ? [] : [`d.id < ${values.add(idAt(until))}`]),
    ...(cursor === null ? [] : [`d.id ${cursor.isOlder ? '<' : '>'} ${values.add(cursor.id)}`]),
  ];
}

function checksOf({ event, responseCode, error }: DeliveryFilter, values: Values): string[] {
  const checks: string[] = [];
  if (event !== undefined) checks.push(`d.channel = ${values.add(channelOf(event))} AND e.name = ${values.add(event)}`);
  if (responseCode !== undefined) checks.push(`a.status_code = ${values.add(responseCode)}`);
  if (error === 'status') {
    const [sms, rcs] = (['sms', 'rcs'] as const).map((channel) => values.add(successStatuses(channel)));
    const successes = `CASE d.channel WHEN 'sms' THEN ${sms}::int[] ELSE ${rcs}::int[] END`;
    checks.push(`a.outcome = 'response' AND a.status_code <> ALL (${successes})`);
  } else if (error !== undefined) checks.push(`a.outcome = ${values.add(error)}`);
  return checks;
}
