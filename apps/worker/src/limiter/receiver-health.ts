/**
 * How quickly a receiver responds, judged by the last attempt of its webhook:
 *
 * - `healthy`: the request ended within 500 ms, with a response or a quick failure such as a refused connection.
 * - `slow`: the response came after 500 ms or more.
 * - `unresponsive`: the request ended without a response after 500 ms or more, or one has been in flight for too long.
 */
export type ReceiverHealth = 'healthy' | 'slow' | 'unresponsive';

/** How the request of an attempt ended. `hasResponse` is false after a timeout or any other failure without a response. */
export type AttemptEnd = { durationMs: number; hasResponse: boolean };

const slowMs = 500;

// A receiver that is known to be slow gets more time before it counts as unresponsive.
const unresponsiveMs: Record<ReceiverHealth, number> = { healthy: slowMs, slow: 2_000, unresponsive: Infinity };

/** The health of a receiver after an attempt's request has ended. */
export function healthAfter({ durationMs, hasResponse }: AttemptEnd): ReceiverHealth {
  if (durationMs < slowMs) return 'healthy';
  return hasResponse ? 'slow' : 'unresponsive';
}

/** Whether a receiver of this health becomes unresponsive because a request has been in flight for this long. */
export const isOverdue = (health: ReceiverHealth, inFlightMs: number): boolean => inFlightMs >= unresponsiveMs[health];
