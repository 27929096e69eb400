import { channelOf, type ErrorClass, type EventName, successStatuses } from '@ringback/callbacks';
import type { Delivery } from './deliveries.js';
import type { LogCursor } from './log-page.js';
import { idAt } from './uuid.js';

/** What deliveries of an account are looked for; what is absent does not matter. */
export type DeliveryFilter = {
  webhookId?: string | undefined;
  /** Any of these. */
  states?: Delivery['state'][] | undefined;
  event?: EventName | undefined;
  messageId?: string | undefined;
  mobile?: string | undefined;
  /** The status that the newest attempt was answered with. */
  responseCode?: number | undefined;
  /** How the newest attempt failed. */
  error?: ErrorClass | undefined;
  /** Made at this time or later. */
  since?: Date | undefined;
  /** Made before this time. */
  until?: Date | undefined;
};

/** Gathers the values of a statement and gives each its placeholder. */
type Values = { all: unknown[]; add(value: unknown): string };

/**
 * The conditions of a filter, and the values for their placeholders. `candidates` are those on deliveries `d` that an
 * index finds in the order of the log, with the first `candidateValues` values; `looks` are the others, on the
 * delivery, its event `e` and its newest attempt `a`.
 */
export type Search = { candidates: string; looks: string; values: unknown[]; candidateValues: number };

/**
 * Where deliveries of the account are looked for: among those of a message or a mobile number, else among those of a
 * webhook or all, and there among those that were not delivered when no others are wanted.
 */
export function searchFor(accountId: string, filter: DeliveryFilter, cursor: LogCursor | null): Search {
  const all: unknown[] = [];
  const values = { all, add: (value: unknown) => `$${all.push(value)}` };
  const { webhookId, states, messageId, mobile } = filter;
  const candidates = timesOf(filter, cursor, values);
  // Each value of the candidates has to be used in them.
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
  const looks = [`d.account_id = ${account()}`];
  if (webhookId !== undefined && isOfMessage) looks.push(`d.webhook_id = ${values.add(webhookId)}`);
  if (states !== undefined) looks.push(`d.state = ANY(${values.add(states)}::delivery_state[])`);
  looks.push(...looksOf(filter, values));
  return { candidates: candidates.join(' AND '), looks: looks.join(' AND '), values: all, candidateValues };
}

function timesOf({ since, until }: DeliveryFilter, cursor: LogCursor | null, values: Values): string[] {
  return [
    ...(since === undefined ? [] : [`d.id >= ${values.add(idAt(since))}`]),
    ...(until === undefined ? [] : [`d.id < ${values.add(idAt(until))}`]),
    ...(cursor === null ? [] : [`d.id ${cursor.older ? '<' : '>'} ${values.add(cursor.id)}`]),
  ];
}

function looksOf({ event, responseCode, error }: DeliveryFilter, values: Values): string[] {
  const looks: string[] = [];
  if (event !== undefined) looks.push(`d.channel = ${values.add(channelOf(event))} AND e.name = ${values.add(event)}`);
  if (responseCode !== undefined) looks.push(`a.status_code = ${values.add(responseCode)}`);
  if (error === 'status') {
    const [sms, rcs] = (['sms', 'rcs'] as const).map((channel) => values.add(successStatuses(channel)));
    const successes = `CASE d.channel WHEN 'sms' THEN ${sms}::int[] ELSE ${rcs}::int[] END`;
    looks.push(`a.outcome = 'response' AND a.status_code <> ALL (${successes})`);
  } else if (error !== undefined) looks.push(`a.outcome = ${values.add(error)}`);
  return looks;
}
