import type { WorkerConfig } from '../config.js';
import type { MaintenanceService } from './maintenance-service.js';
import { createPauseNotifier, type PauseNotifierDeps } from './pause-notifier.js';
import { createReplayRunner } from './replay-runner.js';
import { createRetentionService } from './retention.js';
import { createStatisticsService } from './statistics.js';
import { createVerificationRepairService, type VerificationRepairDeps } from './verification-repair.js';

type Deps = PauseNotifierDeps & VerificationRepairDeps;

/** Creates all maintenance services of a worker. */
export function createMaintenanceServices(config: WorkerConfig, deps: Deps): MaintenanceService[] {
  return [
    createVerificationRepairService(deps),
    createReplayRunner(deps),
    createPauseNotifier(deps, config.autoPauseRules),
    createStatisticsService(deps),
    createRetentionService(deps, { retentionDays: config.retentionDays }),
  ];
}
