import type { PlatformEvent } from '@ringback/callbacks';
import {
  type Database,
  forgetFailing,
  giveBackHeld,
  listUntoldPauses,
  markPauseTold,
  type Pausing,
  type UntoldPause,
} from '@ringback/database';
import { takeEvents } from '@ringback/intake';
import type { Queues } from '@ringback/queue';
import { errorFields, type Logger } from '@ringback/runtime';
import { regularly } from '../regularly.js';

export type PausingDeps = { db: Database; queues: Pick<Queues, 'enqueueDeliveries'>; log: Logger };

const everyMs = 1_000;
const mostTold = 100;
const batchesPerRound = 20;

/**
 * Tells accounts of webhooks that were paused since, and gives back what was held for those that were released. All of it
 * is found in the ledger, so that it is done whoever dies, by one of any number of workers.
 */
export async function lookAtPauses(deps: PausingDeps): Promise<void> {
  for (const pause of await listUntoldPauses(deps.db, { limit: mostTold })) await tell(deps, pause);
  for (let batch = 0; batch < batchesPerRound; batch++) {
    if ((await giveBackHeld(deps.db)) === 0) return;
  }
}

/** The event of a pause has a key, so that it comes once, however often this is begun. */
async function tell({ db, queues, log }: PausingDeps, pause: UntoldPause): Promise<void> {
  const [taken] = await takeEvents({ db, queues }, [eventOf(pause)]);
  if (!(await markPauseTold(db, pause.webhookId))) return;
  const { webhookId: webhook_id, accountId: account_id, reason } = pause;
  log.warn('webhook.paused', { webhook_id, account_id, reason, event_id: taken?.eventId });
}

function eventOf({ webhookId, accountId, name, reason, failingSince, pausedAt }: UntoldPause): PlatformEvent {
  const times = { failing_since: failingSince.toISOString(), paused_at: pausedAt.toISOString() };
  return {
    event: 'webhook:paused',
    accountId,
    webhookId: null,
    identity: null,
    eventId: `${webhookId} ${times.paused_at}`,
    payload: JSON.stringify({ webhook_id: webhookId, name, reason, ...times }),
    messageId: null,
    mobile: null,
  };
}

/** Looks regularly, until the returned function is called. */
export function startPausing(deps: PausingDeps, { failingAfterDays }: Pausing): () => Promise<void> {
  const forget = async () => (failingAfterDays > 0 ? undefined : forgetFailing(deps.db));
  const complain = (error: unknown) => deps.log.error('pausing.failed', errorFields(error));
  return regularly(
    everyMs,
    () => lookAtPauses(deps).catch(complain),
    () => forget().catch(complain),
  );
}
