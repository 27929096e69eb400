/**
 * How a receiver answers, judged by the calls of its webhook. `healthy`: its last call ended within 500 ms. `slow`: it
 * answered later. `unresponsive`: its last call ended without an answer, or a call is in flight for too long.
 */
export type ReceiverHealth = 'healthy' | 'slow' | 'unresponsive';

/** How a call ended. `answered` is false when no response came. */
export type CallResult = { durationMs: number; answered: boolean };

const slowMs = 500;

// A receiver that is known to be slow gets more time before it counts as unresponsive.
const unresponsiveMs: Record<ReceiverHealth, number> = { healthy: slowMs, slow: 2_000, unresponsive: Infinity };

export function healthAfter({ durationMs, answered }: CallResult): ReceiverHealth {
  if (durationMs < slowMs) return 'healthy';
  return answered ? 'slow' : 'unresponsive';
}

/** Whether a call that has been in flight for this long makes its receiver unresponsive. */
export const isOverdue = (health: ReceiverHealth, inFlightMs: number): boolean => inFlightMs >= unresponsiveMs[health];
