import { type Database, listRunningReplays, stepReplay } from '@ringback/database';
import type { Logger } from '@ringback/runtime';
import type { MaintenanceJob } from './maintenance-job.js';

/** Advances each running replay by one step. */
export function createReplayRunner({ db, log }: { db: Database; log: Logger }): MaintenanceJob {
  return {
    name: 'replay',
    intervalMs: 500,
    async run() {
      for (const id of await listRunningReplays(db)) {
        const step = await stepReplay(db, id);
        if (step?.ended) log.info('replay.ended', { replay_id: id, end: step.ended });
      }
    },
  };
}
