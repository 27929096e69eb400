import type { DeliveryTask } from '@ringback/ledger';

/** Why a delivery is skipped; null if it may be attempted. Checked before every attempt. */
export function skipReason(
  task: Pick<DeliveryTask, 'isDeleted' | 'isActive' | 'verification'>,
  { requireVerification }: { requireVerification: boolean },
): string | null {
  if (task.isDeleted) return 'webhook deleted';
  if (!task.isActive) return 'webhook inactive';
  const isUnverified = task.verification !== null && task.verification !== 'passed';
  if (requireVerification && isUnverified) return 'webhook not verified';
  return null;
}
