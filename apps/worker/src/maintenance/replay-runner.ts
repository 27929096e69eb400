import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, listRunningReplays, stepReplay } from '@ringback/ledger';
import { errorFields, type Logger } from '@ringback/process';

const stepEveryMs = 500;

/**
 * Advances each running replay by one step, waits 500 ms, and repeats this until none is running or the worker stops. A
 * step that fails is repeated then, and does not stop the other replays.
 */
export function createReplayRunner({ db, log }: { db: Database; log: Logger }) {
  const step = async (id: string) => {
    try {
      const result = await stepReplay(db, id);
      if (result?.finalState) log.info('replay.ended', { replay_id: id, end: result.finalState });
    } catch (error) {
      log.error('replay.failed', { replay_id: id, ...errorFields(error) });
    }
  };
  return {
    name: 'replay',
    intervalMs: 1_000,
    async run(stopping: AbortSignal) {
      for (let ids = await listRunningReplays(db); ids.length > 0; ids = await listRunningReplays(db)) {
        for (const id of ids) await step(id);
        await sleep(stepEveryMs, undefined, { signal: stopping }).catch(() => undefined);
        if (stopping.aborted) return;
      }
    },
  };
}
