import type { WorkerConfig } from '../config.js';
import type { MaintenanceService } from './maintenance-service.js';
import { createPauseNotifier, type PauseNotifierDeps } from './pause-notifier.js';
import { createReplayRunner } from './replay-runner.js';
import { createRetention } from './retention.js';
import { createStatisticsFolding } from './statistics.js';
import { createPreviousVersionTakeover, type TakeoverDeps } from './takeover.js';
import { createVerificationRepair, type VerificationRepairDeps } from './verification-repair.js';

type Deps = PauseNotifierDeps & TakeoverDeps & VerificationRepairDeps;

/** Creates all maintenance services of a worker. */
export function createMaintenanceServices(config: WorkerConfig, deps: Deps): MaintenanceService[] {
  return [
    createPreviousVersionTakeover(deps),
    createVerificationRepair(deps),
    createReplayRunner(deps),
    createPauseNotifier(deps, config.autoPauseRules),
    createStatisticsFolding(deps),
    createRetention(deps, { retentionDays: config.retentionDays }),
  ];
}
