import { errorFields } from '@ringback/process';
import type { ApiDeps } from '../deps.js';

/**
 * Enqueues a verification. A failure is only logged, because a worker later finds the stored verification and enqueues
 * it.
 */
export async function tryEnqueueVerification(
  { queues, log }: Pick<ApiDeps, 'queues' | 'log'>,
  verificationId: string,
): Promise<void> {
  try {
    await queues.enqueueVerification(verificationId);
  } catch (error) {
    log.error('verification.not_queued', { verification_id: verificationId, ...errorFields(error) });
  }
}
