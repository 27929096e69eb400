/**
 * How quickly a receiver responds, judged by the last call of its webhook:
 *
 * - `healthy`: the call ended within 500 ms, with a response or a quick failure such as a refused connection.
 * - `slow`: the response came after 500 ms or more.
 * - `unresponsive`: the call ended without a response after 500 ms or more, or a call has been in flight for too long.
 */
export type ReceiverHealth = 'healthy' | 'slow' | 'unresponsive';

/** How a call ended. `hasResponse` is false after a timeout or any other failure without a response. */
export type CallResult = { durationMs: number; hasResponse: boolean };

const slowMs = 500;

// A receiver that is known to be slow gets more time before it counts as unresponsive.
const unresponsiveMs: Record<ReceiverHealth, number> = { healthy: slowMs, slow: 2_000, unresponsive: Infinity };

/** The health of a receiver after a call has ended. */
export function healthAfter({ durationMs, hasResponse }: CallResult): ReceiverHealth {
  if (durationMs < slowMs) return 'healthy';
  return hasResponse ? 'slow' : 'unresponsive';
}

/** Whether a receiver of this health becomes unresponsive because a call has been in flight for this long. */
export const isOverdue = (health: ReceiverHealth, inFlightMs: number): boolean => inFlightMs >= unresponsiveMs[health];
