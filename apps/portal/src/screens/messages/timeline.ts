import type { components } from '@ringback/client';
import { isRecord } from '../../data/is-record.js';

export type Message = components['schemas']['Message'];
type MessageEvent = components['schemas']['MessageEvent'];
export type MessageDelivery = components['schemas']['MessageDelivery'];
type BriefAttempt = components['schemas']['BriefAttempt'];

/** One moment in the history of a message: an event, an attempt, or the next attempt. */
export type Moment = { key: string; ms: number; time: string } & (
  | { kind: 'event'; event: MessageEvent }
  | { kind: 'attempt'; delivery: MessageDelivery; attempt: BriefAttempt }
  | { kind: 'next'; delivery: MessageDelivery }
);

/** An event or a delivery with its moments: one line of the timeline. */
export type Track = { key: string; event: MessageEvent; delivery: MessageDelivery | undefined; moments: Moment[] };

/** The tracks of a message, each event before its deliveries. */
export const tracksOf = ({ events }: Message): Track[] =>
  events.flatMap((event) => [
    { key: event.id, event, delivery: undefined, moments: [eventMoment(event)] },
    ...event.deliveries.map((delivery) => ({
      key: delivery.id,
      event,
      delivery,
      moments: [...delivery.attempts.map((attempt) => attemptMoment(delivery, attempt)), ...nextMoment(delivery)],
    })),
  ]);

/** All moments, oldest first. */
export const momentsOf = (tracks: readonly Track[]): Moment[] =>
  tracks.flatMap(({ moments }) => moments).sort((a, b) => a.ms - b.ms);

const at = (time: string) => ({ time, ms: new Date(time).getTime() });

const eventMoment = (event: MessageEvent): Moment => ({
  key: event.id,
  kind: 'event',
  event,
  ...at(event.received_at),
});

const attemptMoment = (delivery: MessageDelivery, attempt: BriefAttempt): Moment => ({
  key: `${delivery.id} ${attempt.number}`,
  kind: 'attempt',
  delivery,
  attempt,
  ...at(attempt.started_at),
});

const nextMoment = (delivery: MessageDelivery): Moment[] =>
  delivery.next_attempt_at === null
    ? []
    : [{ key: `${delivery.id} next`, kind: 'next', delivery, ...at(delivery.next_attempt_at) }];

/** The status in the payload of an event, such as DELIVRD. Undefined if there is none. */
export function payloadStatus({ payload }: MessageEvent): string | undefined {
  const status: unknown = isRecord(payload) ? payload.status : undefined;
  return typeof status === 'string' && status !== '' ? status : undefined;
}
