import { channelOf, type ErrorClass, type EventName, successStatuses } from '@ringback/callbacks';
import type { Delivery } from './deliveries.js';
import type { LogCursor } from './log-page.js';
import { idAt } from './uuid.js';

/** Selects deliveries of an account. An absent field matches all. */
export type DeliveryFilter = {
  webhookId?: string | undefined;
  /** One of these. */
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

/** Collects the values of a statement and returns the placeholder of each. */
type Values = { all: unknown[]; add(value: unknown): string };

/**
 * The conditions of a filter, and the values of their placeholders. An index finds the rows that match `candidates`, on
 * deliveries `d`, in the order of the log; they use the first `candidateValues` values. `checks` are the other conditions,
 * on the delivery, its event `e` and its newest attempt `a`.
 */
export type Search = { candidates: string; checks: string; values: unknown[]; candidateValues: number };

/**
 * Chooses the index for a filter: that of the message or mobile number, else that of the webhook or the account, which
 * exist for undelivered deliveries too.
 */
export function searchFor(accountId: string, filter: DeliveryFilter, cursor: LogCursor | null): Search {
  const all: unknown[] = [];
  const values = { all, add: (value: unknown) => `$${all.push(value)}` };
  const { webhookId, states, messageId, mobile } = filter;
  const candidates = timesOf(filter, cursor, values);
  // PostgreSQL refuses a value that no placeholder uses, so the candidates must not have the account's if they do not need it.
  let added: string | undefined;
  const account = () => (added ??= values.add(accountId));
  const isUndelivered = states?.every((state) => state === 'failed' || state === 'skipped') ?? false;
  const isOfMessage = messageId !== undefined || mobile !== undefined;
  if (isOfMessage) {
    const ofMessage = messageId === undefined ? '' : ` AND e.message_id = ${values.add(messageId)}`;
    const ofMobile = mobile === undefined ? '' : ` AND e.mobile = ${values.add(mobile)}`;
    candidates.push(
      `d.event_id IN (SELECT e.id FROM events e WHERE e.account_id = ${account()}${ofMessage}${ofMobile})`,
    );
  } else {
    candidates.push(
      webhookId === undefined ? `d.account_id = ${account()}` : `d.webhook_id = ${values.add(webhookId)}`,
    );
    if (isUndelivered) candidates.push(`d.state IN ('failed', 'skipped')`);
  }
  const candidateValues = all.length;
  const checks = [`d.account_id = ${account()}`];
  if (webhookId !== undefined && isOfMessage) checks.push(`d.webhook_id = ${values.add(webhookId)}`);
  if (states !== undefined) checks.push(`d.state = ANY(${values.add(states)}::delivery_state[])`);
  checks.push(...checksOf(filter, values));
  return { candidates: candidates.join(' AND '), checks: checks.join(' AND '), values: all, candidateValues };
}

function timesOf({ since, until }: DeliveryFilter, cursor: LogCursor | null, values: Values): string[] {
  return [
    ...(since === undefined ? [] : [`d.id >= ${values.add(idAt(since))}`]),
    ...(until === undefined ? [] : [`d.id < ${values.add(idAt(until))}`]),
    ...(cursor === null ? [] : [`d.id ${cursor.older ? '<' : '>'} ${values.add(cursor.id)}`]),
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
