import { errorFields, type Logger } from '@ringback/runtime';
import { type PeriodicTask, runEvery } from '../run-every.js';

/**
 * Work that each worker with the role `maintain` repeats. Several workers may run it at the same time.
 */
export type MaintenanceService = {
  /** If a run throws, `<name>.failed` is logged, and the next run comes after the interval. */
  name: string;
  intervalMs: number;
  /** `stopping` is aborted when the worker stops. */
  run(stopping: AbortSignal): Promise<unknown>;
  /** Runs once at the start, before the first interval. */
  runAtStart?(stopping: AbortSignal): Promise<unknown>;
  /** Runs after the last run. */
  close?(): Promise<unknown>;
};

type ServiceOptions = { log: Pick<Logger, 'error'>; stopping: AbortSignal };

/** Runs services until they are stopped. No run starts once `stopping` is aborted. */
export function startMaintenanceServices(services: MaintenanceService[], options: ServiceOptions): PeriodicTask {
  const tasks = services.map((service) => startService(service, options));
  return {
    async stop() {
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}

function startService(service: MaintenanceService, { log, stopping }: ServiceOptions): PeriodicTask {
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
