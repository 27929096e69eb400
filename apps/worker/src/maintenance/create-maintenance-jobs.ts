import type { WorkerConfig } from '../config.js';
import type { MaintenanceJob } from './maintenance-job.js';
import { createPauseNotifier, type PauseNotifierDeps } from './pause-notifier.js';
import { createReplayRunner } from './replay-runner.js';
import { createRetention } from './retention.js';
import { createStatisticsFolding } from './statistics.js';
import { createPreviousReleaseTakeover, type TakeoverDeps } from './takeover.js';
import { createVerificationRepair, type VerificationRepairDeps } from './verification-repair.js';

type Deps = PauseNotifierDeps & TakeoverDeps & VerificationRepairDeps;

/** All maintenance jobs of a worker. */
export function createMaintenanceJobs(config: WorkerConfig, deps: Deps): MaintenanceJob[] {
  return [
    createPreviousReleaseTakeover(deps),
    createVerificationRepair(deps),
    createReplayRunner(deps),
    createPauseNotifier(deps, config.pausing),
    createStatisticsFolding(deps),
    createRetention(deps, { retentionDays: config.retentionDays }),
  ];
}
