import { type Database, listRunningReplays, stepReplay } from '@ringback/database';
import { errorFields, type Logger } from '@ringback/runtime';
import { regularly } from './regularly.js';

const everyMs = 500;

/** Takes every running replay on, one after the other. */
export async function stepReplays({ db, log }: { db: Database; log: Logger }): Promise<void> {
  for (const id of await listRunningReplays(db)) {
    const step = await stepReplay(db, id);
    if (step?.ended) log.info('replay.ended', { replay_id: id, end: step.ended });
  }
}

/** Takes running replays on regularly, until the returned function is called. Any number of workers may do so. */
export function startReplaying(deps: { db: Database; log: Logger }): () => Promise<void> {
  const complain = (error: unknown) => deps.log.error('replay.failed', errorFields(error));
  return regularly(everyMs, () => stepReplays(deps).catch(complain));
}
