import {
  type AttemptRecord,
  type Database,
  type DeliveryTask,
  endDelivery,
  endVerification,
  isDatabaseUnavailable,
  loadDeliveries,
  loadVerification,
  parkDeliveries,
  type PendingDelivery,
  recordAttempts,
  recordVerification,
} from '@ringback/database';
import { rejectRaw, takeEvents, takeRaw } from '@ringback/intake';
import {
  deliveryQueues,
  ingressQueues,
  isQueueUnavailable,
  type QueueName,
  type Queues,
  verificationQueue,
} from '@ringback/queue';
import { type Logger, readVersion } from '@ringback/runtime';
import { batched } from './jobs/batch.js';
import type { WorkerConfig } from './config.js';
import type { Handler } from './jobs/consumers.js';
import { deliver, type DeliverDeps, type DeliverOptions } from './deliver/deliver.js';
import { idOf } from './jobs/job-data.js';
import { openLanes } from './deliver/lanes.js';
import { openParking } from './deliver/parking.js';
import { persist } from './jobs/patience.js';
import type { Role } from './roles.js';
import type { Sender } from './send/send.js';
import { verify, type VerifyDeps } from './verify.js';

const ingestConcurrency = 200;
const verifyConcurrency = 10;
const batchSize = 200;
// Waiting for a turn, loading and recording, on top of the call.
const leaseBeyondMs = 7_000;

type Parts = { db: Database; queues: Queues; sender: Sender; log: Logger; stopping: AbortSignal };

/** One kind of work: whose role it is, where its jobs wait, how many are taken at once, and what is done with each. */
export type Kind = { role: Role; queue: QueueName; concurrency: number; handler: Handler };

export type Work = { kinds: Kind[]; close(): Promise<void> };

/** Everything that a worker can do, on what it needs for it. What was parked is fetched from now on. */
export function openWork(config: WorkerConfig, parts: Parts): Work {
  const { db, log } = parts;
  const channels = (['sms', 'rcs'] as const).filter((channel) => config.roles.has(`deliver-${channel}`));
  const delivering = deliverDeps(config, parts, (task) => parking?.note(task.webhookId, task.accountId));
  const call = (deliveryId: string, options?: DeliverOptions) => deliver(delivering, deliveryId, options);
  const leaseMs = config.timeoutMs + leaseBeyondMs;
  const parking =
    channels.length > 0
      ? openParking({ ...parts, lanes: delivering.lanes, channels, leaseMs, deliver: call })
      : undefined;

  /** What has a turn soon goes into its queue; what would only be fetched to be parked is parked at once. */
  const pass = async (deliveries: PendingDelivery[]) => {
    const isOurs = ({ channel, isNew }: PendingDelivery) => isNew && channels.includes(channel);
    const crowded = deliveries.filter((one) => isOurs(one) && !delivering.lanes.expect(one.webhookId, one.accountId));
    if (crowded.length > 0)
      await parkDeliveries(
        db,
        crowded.map(({ id }) => id),
      );
    for (const { webhookId, accountId } of crowded) parking?.note(webhookId, accountId);
    await parts.queues.enqueueDeliveries(deliveries.filter((one) => !crowded.includes(one)));
  };
  const ingest = ingestHandler(parts, pass);
  const delivery: Handler = {
    handle: ({ data }) => call(idOf(data, 'deliveryId')),
    async giveUp({ data }, reason) {
      log.error('delivery.given_up', { delivery_id: idOf(data, 'deliveryId'), reason });
      await endDelivery(db, idOf(data, 'deliveryId'), 'failed', reason);
    },
  };
  const verifying = verifyDeps(config, parts);
  const challenge: Handler = {
    handle: ({ data }) => verify(verifying, idOf(data, 'verificationId')),
    giveUp: ({ data }, reason) => endVerification(db, idOf(data, 'verificationId'), reason),
  };
  // Twice as many as may be called at once: those over it wait for their turn in their lanes.
  const deliverConcurrency = config.concurrency * 2;
  const kinds = [
    { role: 'ingest-sms', queue: ingressQueues.sms, concurrency: ingestConcurrency, handler: ingest },
    { role: 'ingest-rcs', queue: ingressQueues.rcs, concurrency: ingestConcurrency, handler: ingest },
    { role: 'deliver-sms', queue: deliveryQueues.sms, concurrency: deliverConcurrency, handler: delivery },
    { role: 'deliver-rcs', queue: deliveryQueues.rcs, concurrency: deliverConcurrency, handler: delivery },
    { role: 'verify', queue: verificationQueue, concurrency: verifyConcurrency, handler: challenge },
  ] satisfies Kind[];
  return { kinds, close: async () => parking?.close() };
}

type Pass = (deliveries: PendingDelivery[]) => Promise<void>;

function ingestHandler({ db, log, stopping }: Parts, pass: Pass): Handler {
  const isPassing = (error: unknown) => isDatabaseUnavailable(error) || isQueueUnavailable(error);
  const onward = { db, queues: { enqueueDeliveries: pass } };
  const take = batched((events: Parameters<typeof takeEvents>[1]) => takeEvents(onward, events), { most: batchSize });
  return {
    async handle({ name, data }) {
      const { eventId, state, reason } = await persist(() => takeRaw({ db, take }, name, data), {
        isPassing,
        stopping,
      });
      log.info('event.taken', { event_id: eventId, event: name, state, ...(reason === null ? {} : { reason }) });
      return { type: 'done' };
    },
    async giveUp({ name, data }, reason) {
      log.error('event.given_up', { event: name, reason });
      await rejectRaw(db, { name, data, reason });
    },
  };
}

function deliverDeps(
  config: WorkerConfig,
  { db, sender, log, stopping }: Parts,
  onPark: (task: DeliveryTask) => void,
): DeliverDeps {
  const patient = <T>(act: () => Promise<T>) => persist(act, { isPassing: isDatabaseUnavailable, stopping });
  const load = batched(
    async (ids: string[]) => {
      const found = new Map((await loadDeliveries(db, ids)).map((task) => [task.id, task]));
      return ids.map((id) => found.get(id));
    },
    { most: batchSize },
  );
  const record = batched(
    async (attempts: AttemptRecord[]) => {
      const recorded = await recordAttempts(db, attempts);
      return attempts.map(({ deliveryId }) => recorded.has(deliveryId));
    },
    { most: batchSize },
  );
  const park = batched(
    async (ids: string[]) => {
      await parkDeliveries(db, ids);
      return ids;
    },
    { most: batchSize },
  );
  return {
    load: (id) => patient(() => load(id)),
    record: (attempt) => patient(() => record(attempt)),
    skip: (id, reason) => patient(() => endDelivery(db, id, 'skipped', reason)),
    async park(task) {
      await patient(() => park(task.id));
      onPark(task);
    },
    lanes: openLanes({ calls: config.concurrency }),
    inHand: new Set(),
    send: sender.send,
    log,
    retries: config.retries,
    requireVerification: config.requireVerification,
    version: readVersion(),
  };
}

function verifyDeps(config: WorkerConfig, { db, sender, log, stopping }: Parts): VerifyDeps {
  const patient = <T>(act: () => Promise<T>) => persist(act, { isPassing: isDatabaseUnavailable, stopping });
  return {
    load: (id) => patient(() => loadVerification(db, id)),
    record: (...words) => patient(() => recordVerification(db, ...words)),
    end: (id, reason) => patient(() => endVerification(db, id, reason)),
    send: sender.send,
    log,
    retries: config.retries,
    version: readVersion(),
  };
}
