import type { NewEvent } from '@ringback/rules';
import {
  type Database,
  clearFailingSince,
  listUnnotifiedPauses,
  markPauseNotified,
  type AutoPauseRules,
  type UnnotifiedPause,
  ingestEvents,
} from '@ringback/ledger';
import { errorFields, type Logger } from '@ringback/process';

export type PauseNotifierDeps = { db: Database; log: Logger };

const maxPausesPerRun = 100;

/**
 * Creates an event `webhook:paused` for the account of each webhook that is paused. The database records which pauses
 * have no event yet, so a crash loses none, and one that fails is repeated by the next run. A pause that ends before
 * the next run gets no event.
 */
export function createPauseNotifier(deps: PauseNotifierDeps, { failingAfterDays }: AutoPauseRules) {
  return {
    name: 'pause_notifier',
    intervalMs: 2_000,
    async run(stopping: AbortSignal) {
      for (const pause of await listUnnotifiedPauses(deps.db, { limit: maxPausesPerRun })) {
        if (stopping.aborted) return;
        await notify(deps, pause).catch((error: unknown) =>
          deps.log.error('pause_notifier.failed', { webhook_id: pause.webhookId, ...errorFields(error) }),
        );
      }
    },
    // While `failingAfterDays` is 0, `failing_since` is not maintained, and would be stale if the rule were turned on.
    async runAtStart() {
      if (failingAfterDays === 0) await clearFailingSince(deps.db);
    },
  };
}

/**
 * Stores the event of a pause, and marks the pause as notified. The event's idempotency key prevents a second event.
 */
async function notify({ db, log }: PauseNotifierDeps, pause: UnnotifiedPause): Promise<void> {
  const [storedEvent] = await ingestEvents({ db }, [eventOf(pause)]);
  if (!(await markPauseNotified(db, pause))) return;
  const { webhookId: webhook_id, accountId: account_id, reason } = pause;
  log.warn('webhook.paused', { webhook_id, account_id, reason, event_id: storedEvent?.eventId });
}

function eventOf({ webhookId, accountId, name, reason, failingSince, pausedAt }: UnnotifiedPause): NewEvent {
  const times = { failing_since: failingSince.toISOString(), paused_at: pausedAt.toISOString() };
  return {
    name: 'webhook:paused',
    accountId,
    webhookId: null,
    identity: null,
    platformEventId: `${webhookId} ${times.paused_at}`,
    payload: JSON.stringify({ webhook_id: webhookId, name, reason, ...times }),
    messageId: null,
    mobile: null,
  };
}
