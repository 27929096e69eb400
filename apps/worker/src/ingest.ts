import { batched, batchSize, type Database, isDatabaseUnavailable, isUnstorable } from '@ringback/database';
import { type IntakeDeps, openIntake, rejectRaw, takeRaw } from '@ringback/intake';
import { isQueueUnavailable, type Queues, UnreadableData } from '@ringback/queue';
import { errorFields, type Logger, type Traces } from '@ringback/runtime';
import type { Claimed } from './deliver/claimed.js';
import type { Precedence } from './deliver/precedence.js';
import type { Handler } from './jobs/consumers.js';
import type { Persist } from './jobs/patience.js';
import type { WorkerMetrics } from './metrics.js';

export type IngestDeps = {
  db: Database;
  queues: Queues;
  log: Logger;
  metrics: WorkerMetrics;
  traces: Traces | undefined;
  persist: Persist;
  /** What this worker makes of the deliveries itself, and how many of them are welcome. */
  own: NonNullable<IntakeDeps['own']> & Pick<Claimed, 'room'> & Pick<Precedence, 'taken'>;
};

/**
 * Takes in the events of platforms, in batches; waits while PostgreSQL or the queues' engine is away. One that PostgreSQL
 * cannot hold is kept as rejected.
 */
export function openIngest(deps: IngestDeps): Pick<Handler, 'handle' | 'giveUp'> {
  const { db, queues, log, metrics, traces, persist, own } = deps;
  const isPassing = (error: unknown) => isDatabaseUnavailable(error) || isQueueUnavailable(error);
  const takeAll = openIntake({ db, queues, own, traces });
  const take = batched(metrics.batches('take', takeAll), { most: batchSize, isShared: isPassing });
  const arrive = async (name: string, data: unknown) => {
    if (data instanceof UnreadableData) return rejectRaw(db, { name, data: data.text, reason: data.reason });
    try {
      return await takeRaw({ db, take }, name, data);
    } catch (error) {
      if (!isUnstorable(error)) throw error;
      log.error('event.unstorable', { event: name, ...errorFields(error) });
      return rejectRaw(db, { name, data, reason: 'PostgreSQL cannot hold it' });
    }
  };
  return {
    async handle({ name, data, timestamp }) {
      own.taken(Date.now() - timestamp, accountOf(data));
      await own.room();
      const { eventId, state, reason } = await persist(() => arrive(name, data), isPassing);
      metrics.eventTaken({ state });
      log.info('event.taken', { event_id: eventId, event: name, state, ...(reason === null ? {} : { reason }) });
      return { type: 'done' };
    },
    async giveUp({ name, data }, reason) {
      log.error('event.given_up', { event: name, reason });
      await rejectRaw(db, { name, data: data instanceof UnreadableData ? data.text : data, reason });
    },
  };
}

/** Whose event it seems to be, as it came: the account, else the webhook. */
function accountOf(data: unknown): string {
  if (typeof data !== 'object' || data === null) return '';
  const id: unknown = Reflect.get(data, 'account_id') ?? Reflect.get(data, 'webhook_id');
  return typeof id === 'string' ? id.slice(0, 64) : '';
}
