import { errorFields, type Logger } from '@ringback/process';
import { type PeriodicTask, runEvery } from '../run-every.js';

/** Work that each worker with the role `maintain` repeats. Several workers may run it at the same time. */
export type MaintenanceService = {
  /** The first part of the log event `<name>.failed`. It is logged when a run throws; later runs come all the same. */
  name: string;
  intervalMs: number;
  /** `stopping` is aborted when the worker stops. */
  run(stopping: AbortSignal): Promise<unknown>;
  /** Called once at the start, before the first interval. */
  runAtStart?(stopping: AbortSignal): Promise<unknown>;
  /** Called when the service stops, after the last run. */
  close?(): Promise<unknown>;
};

type ServiceOptions = { log: Pick<Logger, 'error'>; stopping: AbortSignal };

/** Runs services until they are stopped. No run starts after `stopping` is aborted. */
export function startMaintenanceServices(services: MaintenanceService[], options: ServiceOptions): PeriodicTask {
  const tasks = services.map((service) => startService(service, options));
  return {
    async stop() {
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}

function startService(service: MaintenanceService, { log, stopping }: ServiceOptions): PeriodicTask {
  const runUnlessStopping = (run: MaintenanceService['run'] = () => Promise.resolve()) => {
    return async () => {
      if (stopping.aborted) return;
      await run(stopping).catch((error: unknown) => log.error(`${service.name}.failed`, errorFields(error)));
    };
  };
  const task = runEvery({
    intervalMs: service.intervalMs,
    run: runUnlessStopping(service.run),
    runAtStart: runUnlessStopping(service.runAtStart),
  });
  return {
    async stop() {
      await task.stop();
      await service.close?.();
    },
  };
}
