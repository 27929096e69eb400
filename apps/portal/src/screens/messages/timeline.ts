import type { components } from '@ringback/client';
import { isRecord } from '../../api/failure.js';

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
  delivery.due_at === null ? [] : [{ key: `${delivery.id} next`, kind: 'next', delivery, ...at(delivery.due_at) }];

/** The status in the payload of an event, such as DELIVRD. Undefined if there is none. */
export function payloadStatus({ payload }: MessageEvent): string | undefined {
  const status: unknown = isRecord(payload) ? payload.status : undefined;
  return typeof status === 'string' && status !== '' ? status : undefined;
}

export type TimeScale = {
  /** The position of a moment, 0 to 1. */
  at: (ms: number) => number;
  /** Moments at least `minTickDistance` apart, for labels. */
  ticks: number[];
};

const shortMs = 100;

/**
 * Creates a scale for moments that are milliseconds or hours apart. Gaps are logarithmic, so that an attempt after 40
 * ms and one after 30 minutes are both visible.
 */
export function createTimeScale(moments: readonly number[], minTickDistance: number): TimeScale {
  const times = [...new Set(moments)].sort((a, b) => a - b);
  const weights = times.map((ms, index) =>
    index === 0 ? 0 : 1 + Math.log10(1 + (ms - (times[index - 1] ?? ms)) / shortMs),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let sum = 0;
  const positions = new Map(times.map((ms, index) => [ms, (sum += weights[index] ?? 0) / (total || 1)]));
  const at = (ms: number) => positions.get(ms) ?? 0;
  const ticks: number[] = [];
  for (const ms of times) {
    const last = ticks.at(-1);
    if (last === undefined || at(ms) - at(last) >= minTickDistance) ticks.push(ms);
  }
  return { at, ticks };
}

const units: [string, number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/** The time since the first moment: `+40 ms`, `+3.2 s`, `+30 min`. */
export function formatElapsed(ms: number): string {
  const [unit, length] = units.find(([, size]) => ms >= size) ?? ['ms', 1];
  const value = ms / length;
  return `+${unit === 'ms' || value >= 10 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)} ${unit}`;
}
