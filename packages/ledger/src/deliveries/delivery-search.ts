import { channelOf, type ErrorClass, type EventName, successStatuses } from '@ringback/rules';
import type { Delivery } from '../generated/client.js';
import { idAt } from '../sql/ids.js';
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

/** Collects the values of a statement's parameters. `add` returns the placeholder of a value. */
type ParameterList = { values: unknown[]; add(value: unknown): string };

/**
 * The conditions of a filter, and the values of their placeholders. `indexedConditions` concern deliveries `d`, and
 * indexes find the rows that match them. With a message id or mobile number all matches are read and sorted; otherwise
 * the index returns them in the order of the log. `indexedConditions` use only the first `indexedValueCount` values.
 * `otherConditions` concern the rows that `logJoinsSql` joins.
 */
export type DeliverySearch = {
  indexedConditions: string;
  otherConditions: string;
  values: unknown[];
  indexedValueCount: number;
  /**
   * The placeholder of a list of webhook ids; null if the search does not need one. `indexedConditions` match the
   * deliveries of one id of the list, `w.id`.
   */
  webhookIdsPlaceholder: string | null;
};

/**
 * Chooses the index for a filter: that of the message id or mobile number if the filter has one, otherwise that of the
 * webhook or the account. The webhook and the account have further indexes for deliveries that failed or were skipped.
 * With `webhookIds` it finds only deliveries of these webhooks, and `filter.webhookId` must be absent.
 */
export function buildDeliverySearch(
  accountId: string,
  filter: DeliveryFilter,
  cursor: PageCursor | null,
  webhookIds?: readonly string[],
): DeliverySearch {
  const values: unknown[] = [];
  const parameters = { values, add: (value: unknown) => `$${values.push(value)}` };
  const { webhookId, states, messageId, mobile } = filter;
  const indexedConditions = timeConditionsOf(filter, cursor, parameters);
  // PostgreSQL refuses a value that no placeholder uses, so the account's id is added with its first use.
  let accountPlaceholder: string | undefined;
  const account = () => (accountPlaceholder ??= parameters.add(accountId));
  const isOnlyFailedOrSkipped = states?.every((state) => state === 'failed' || state === 'skipped') ?? false;
  const hasMessageFilter = messageId !== undefined || mobile !== undefined;
  const webhookIdsPlaceholder = webhookIds && !hasMessageFilter ? parameters.add(webhookIds) : null;
  if (hasMessageFilter) {
    const ofMessage = messageId === undefined ? '' : ` AND e.message_id = ${parameters.add(messageId)}`;
    const ofMobile = mobile === undefined ? '' : ` AND e.mobile = ${parameters.add(mobile)}`;
    indexedConditions.push(
      `d.event_id IN (SELECT e.id FROM events e WHERE e.account_id = ${account()}${ofMessage}${ofMobile})`,
    );
  } else {
    if (webhookIdsPlaceholder !== null) indexedConditions.push('d.webhook_id = w.id');
    else if (webhookId !== undefined) indexedConditions.push(`d.webhook_id = ${parameters.add(webhookId)}`);
    else indexedConditions.push(`d.account_id = ${account()}`);
    if (isOnlyFailedOrSkipped) indexedConditions.push(`d.state IN ('failed', 'skipped')`);
  }
  const indexedValueCount = values.length;
  const otherConditions = [`d.account_id = ${account()}`];
  if (webhookId !== undefined && hasMessageFilter) otherConditions.push(`d.webhook_id = ${parameters.add(webhookId)}`);
  if (webhookIds && hasMessageFilter) otherConditions.push(`d.webhook_id = ANY(${parameters.add(webhookIds)}::uuid[])`);
  if (states !== undefined) otherConditions.push(`d.state = ANY(${parameters.add(states)}::delivery_state[])`);
  otherConditions.push(...otherConditionsOf(filter, parameters));
  return {
    indexedConditions: indexedConditions.join(' AND '),
    otherConditions: otherConditions.join(' AND '),
    values,
    indexedValueCount,
    webhookIdsPlaceholder,
  };
}

function timeConditionsOf(
  { since, until }: DeliveryFilter,
  cursor: PageCursor | null,
  parameters: ParameterList,
): string[] {
  return [
    ...(since === undefined ? [] : [`d.id >= ${parameters.add(idAt(since))}`]),
    ...(until === undefined ? [] : [`d.id < ${parameters.add(idAt(until))}`]),
    ...(cursor === null ? [] : [`d.id ${cursor.towardsOlder ? '<' : '>'} ${parameters.add(cursor.id)}`]),
  ];
}

function otherConditionsOf({ event, responseCode, error }: DeliveryFilter, parameters: ParameterList): string[] {
  const otherConditions: string[] = [];
  if (event !== undefined)
    otherConditions.push(`d.channel = ${parameters.add(channelOf(event))} AND e.name = ${parameters.add(event)}`);
  if (responseCode !== undefined) otherConditions.push(`a.status_code = ${parameters.add(responseCode)}`);
  if (error === 'status') {
    const [sms, rcs] = (['sms', 'rcs'] as const).map((channel) => parameters.add(successStatuses(channel)));
    const successes = `CASE d.channel WHEN 'sms' THEN ${sms}::int[] ELSE ${rcs}::int[] END`;
    otherConditions.push(`a.outcome = 'response' AND a.status_code <> ALL (${successes})`);
  } else if (error !== undefined) otherConditions.push(`a.outcome = ${parameters.add(error)}`);
  return otherConditions;
}
