import { errorFields, type Logger } from '@ringback/runtime';
import { runEvery } from '../run-every.js';

/**
 * Work that each worker with the role `maintain` repeats. It is not a BullMQ job. Several workers may run it at the
 * same time.
 */
export type MaintenanceService = {
  /** A run that throws is logged as `<name>.failed`; the next one comes after the interval. */
  name: string;
  intervalMs: number;
  /** `stopping` is aborted when the worker stops. */
  run(stopping: AbortSignal): Promise<unknown>;
  /** Runs once at the start, before the first interval. */
  runAtStart?(stopping: AbortSignal): Promise<unknown>;
  /** Runs after the last run. */
  close?(): Promise<unknown>;
};

/**
 * Repeats a job. No run starts once `stopping` is aborted. The returned function stops the timer, and resolves when the
 * last run and `close` have ended.
 */
export function startMaintenanceService(
  job: MaintenanceService,
  { log, stopping }: { log: Pick<Logger, 'error'>; stopping: AbortSignal },
): () => Promise<void> {
  const withLog = (run: MaintenanceService['run'] = () => Promise.resolve()) => {
    return async () => {
      if (stopping.aborted) return;
      await run(stopping).catch((error: unknown) => log.error(`${job.name}.failed`, errorFields(error)));
    };
  };
  const stop = runEvery(job.intervalMs, withLog(job.run), withLog(job.runAtStart));
  return async () => {
    await stop();
    await job.close?.();
  };
}
