import type { DeliveryState } from '../api/schemas.js';
import { StatusBadge, type Tone } from '../components/status-badge.js';

const states: Record<DeliveryState, { label: string; tone: Tone }> = {
  pending: { label: 'Pending', tone: 'warning' },
  delivered: { label: 'Delivered', tone: 'success' },
  failed: { label: 'Failed', tone: 'danger' },
  skipped: { label: 'Skipped', tone: 'neutral' },
};

export const deliveryStates = Object.keys(states) as DeliveryState[];
export const stateOptions = deliveryStates.map((value) => ({ value, label: states[value].label }));

/** The state of a delivery. */
export function DeliveryBadge({ state }: { state: DeliveryState }) {
  const { label, tone } = states[state];
  return <StatusBadge tone={tone}>{label}</StatusBadge>;
}
