import type { PlatformEvent } from '@ringback/callbacks';
import {
  type Database,
  forgetFailing,
  listUnnotifiedPauses,
  markPauseNotified,
  type Pausing,
  type UnnotifiedPause,
  type Waker,
} from '@ringback/database';
import { ingestEvents } from '@ringback/intake';
import { errorFields, type Logger } from '@ringback/runtime';
import { regularly } from './regularly.js';

export type PausingDeps = { db: Database; waker: Waker; log: Logger };

const everyMs = 1_000;
const mostTold = 100;

/**
 * Tells accounts of webhooks that were paused since. All of it is found in the ledger, so that a worker that dies loses
 * nothing; any number of workers may look at once.
 */
export async function notifyPauses(deps: PausingDeps): Promise<void> {
  for (const pause of await listUnnotifiedPauses(deps.db, { limit: mostTold })) await tell(deps, pause);
}

/** The event of a pause has a key, so that it comes once, however often this is begun. */
async function tell({ db, waker, log }: PausingDeps, pause: UnnotifiedPause): Promise<void> {
  const [taken] = await ingestEvents({ db, waker }, [eventOf(pause)]);
  if (!(await markPauseNotified(db, pause.webhookId))) return;
  const { webhookId: webhook_id, accountId: account_id, reason } = pause;
  log.warn('webhook.paused', { webhook_id, account_id, reason, event_id: taken?.eventId });
}

function eventOf({ webhookId, accountId, name, reason, failingSince, pausedAt }: UnnotifiedPause): PlatformEvent {
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
    () => notifyPauses(deps).catch(complain),
    () => forget().catch(complain),
  );
}
