import { type Database, rollUpStatistics, runExclusively } from '@ringback/ledger';
import { errorFields, type Logger } from '@ringback/process';
import type { WorkerConfig } from '../config.js';
import { type PeriodicTask, runEvery } from '../run-every.js';
import { createPauseNotifier, type PauseNotifierDeps } from './pause-notifier.js';
import { createReplayRunner } from './replay-runner.js';
import { createRetentionService } from './retention.js';
import { createVerificationRepairService, type VerificationRepairDeps } from './verification-repair.js';

/** Work that each worker with the role `maintain` repeats. Several workers may run it at the same time. */
export type MaintenanceService = {
  /** The first part of the log event `<name>.failed`. It is logged when a run throws; later runs come all the same. */
  name: string;
  intervalMs: number;
  /** `stopping` is aborted when the worker stops. */
  run(stopping: AbortSignal): Promise<unknown>;
  /** Called once at the start, before the first interval. */
  runAtStart?(stopping: AbortSignal): Promise<unknown>;
};

type Deps = PauseNotifierDeps & VerificationRepairDeps;

export function createMaintenanceServices(config: WorkerConfig, deps: Deps): MaintenanceService[] {
  return [
    createVerificationRepairService(deps),
    createReplayRunner(deps),
    createPauseNotifier(deps, config.autoPauseRules),
    createStatisticsService(deps),
    createRetentionService(deps, { retentionDays: config.retentionDays }),
  ];
}

// A run updates up to six counts of each webhook that got callbacks, whether one or a hundred. So fewer runs cost less;
// queries read both tables, and only have more rows to add.
const statisticsIntervalMs = 15_000;

/** Moves the rows of `statistic_entries` into the counts of `statistics`. */
function createStatisticsService({ db }: { db: Database }): MaintenanceService {
  const rollUpAll = async (stopping: AbortSignal) => {
    let hasMore = true;
    while (hasMore && !stopping.aborted) hasMore = await rollUpStatistics(db);
  };
  return {
    name: 'statistics',
    intervalMs: statisticsIntervalMs,
    run: (stopping) => runExclusively(db, 'statistics', () => rollUpAll(stopping)),
  };
}

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
  return runEvery({
    intervalMs: service.intervalMs,
    run: runUnlessStopping(service.run),
    runAtStart: runUnlessStopping(service.runAtStart),
  });
}
