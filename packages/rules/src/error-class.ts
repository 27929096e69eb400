import type { Channel } from './event.js';
import { isSuccess, type Outcome } from './judge.js';

/** The ways in which an attempt fails. `status`: a response that is not a success. All others: no valid response. */
export const errorClasses = [
  'timeout',
  'dns',
  'tls',
  'connect',
  'reset',
  'refused',
  'protocol',
  'status',
] as const satisfies (Exclude<Outcome['type'], 'response'> | 'status')[];

export type ErrorClass = (typeof errorClasses)[number];

type StoredOutcome = { outcome: string; statusCode: number | null };

/** The error class of a stored attempt, or null if the attempt succeeded. An unknown outcome counts as `protocol`. */
export function errorClassOf(channel: Channel, { outcome, statusCode }: StoredOutcome): ErrorClass | null {
  if (outcome !== 'response') return errorClasses.find((known) => known === outcome) ?? 'protocol';
  return isSuccess(channel, { type: 'response', status: statusCode ?? 0 }) ? null : 'status';
}

/** All HTTP statuses that count as success for a channel. */
export function successStatuses(channel: Channel): number[] {
  const statuses = Array.from({ length: 900 }, (_, index) => index + 100);
  return statuses.filter((status) => isSuccess(channel, { type: 'response', status }));
}
