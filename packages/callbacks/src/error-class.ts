import type { Channel } from './event.js';
import { isSuccess, type Outcome } from './judge.js';

/** How an attempt failed: no answer came, for this reason, or one whose status is no success. */
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

type Kept = { outcome: string; statusCode: number | null };

/** The error class of an attempt on record, or null when the receiver took the callback. */
export function errorClassOf(channel: Channel, { outcome, statusCode }: Kept): ErrorClass | null {
  if (outcome !== 'response') return errorClasses.find((known) => known === outcome) ?? 'protocol';
  return isSuccess(channel, { type: 'response', status: statusCode ?? 0 }) ? null : 'status';
}

/** Every status that is a success in a channel. */
export function successStatuses(channel: Channel): number[] {
  const statuses = Array.from({ length: 900 }, (_, index) => index + 100);
  return statuses.filter((status) => isSuccess(channel, { type: 'response', status }));
}
