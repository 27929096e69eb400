import { errorFields, type Logger } from '@ringback/runtime';
import { type PeriodicTask, runEvery } from '../run-every.js';

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

/** Runs a service. No run starts once `stopping` is aborted. To stop includes the service's `close`. */
export function startMaintenanceService(
  service: MaintenanceService,
  { log, stopping }: { log: Pick<Logger, 'error'>; stopping: AbortSignal },
): PeriodicTask {
  const withLog = (run: MaintenanceService['run'] = () => Promise.resolve()) => {
    return async () => {
      if (stopping.aborted) return;
      await run(stopping).catch((error: unknown) => log.error(`${service.name}.failed`, errorFields(error)));
    };
  };
  const task = runEvery({
    intervalMs: service.intervalMs,
    run: withLog(service.run),
    runAtStart: withLog(service.runAtStart),
  });
  return {
    async stop() {
      await task.stop();
      await service.close?.();
    },
  };
}
