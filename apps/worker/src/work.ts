import {
  batchSize,
  type Database,
  type DeliveryTask,
  endDelivery,
  endVerification,
  isDatabaseUnavailable,
  loadVerification,
  recordTestCall,
  recordVerification,
  takeTestCall,
} from '@ringback/database';
import {
  deliveryQueues,
  ingressQueues,
  type QueueName,
  type Queues,
  retryPriority,
  testCallQueue,
  verificationQueue,
} from '@ringback/queue';
import { type Logger, readVersion, type Role, type Traces } from '@ringback/runtime';
import type { WorkerConfig } from './config.js';
import type { Handler } from './jobs/consumers.js';
import { openClaimed } from './deliver/claimed.js';
import { deliver, deliverClaimed, type DeliverDeps } from './deliver/deliver.js';
import { type IngestDeps, openIngest } from './ingest.js';
import { idOf } from './jobs/job-data.js';
import { openLedger, openRetries } from './deliver/ledger.js';
import { openLanes } from './deliver/lanes.js';
import { makeTestCall, type TestCallDeps } from './deliver/test-call.js';
import { openShares } from './jobs/shares.js';
import { openPayloads } from './deliver/payloads.js';
import { openParking } from './deliver/parking.js';
import { openSealedCheck } from './deliver/sealed.js';
import { openPrecedence } from './deliver/precedence.js';
import type { WorkerMetrics } from './metrics.js';
import type { Persist } from './jobs/patience.js';
import type { Sender } from './send/send.js';
import { traceAttempt } from './trace-attempt.js';
import { verify, type VerifyDeps } from './verify.js';

const ingestConcurrency = 64;
// Most of them wait for an answer, and one account's may all hang.
const verifyConcurrency = 64;
const testCallConcurrency = 64;
const challengesOfAccount = 16;
// Waiting for a turn, loading and recording, on top of the call; and of that, loading and recording.
const leaseBeyondMs = 7_000;
const recordMs = 2_000;
// One in so many calls may be a retry while first attempts are late.
const leastRetries = 8;
// A delivery's first death may have been without a job.
const suspectAfter = 3;

type Parts = {
  db: Database;
  queues: Queues;
  sender: Sender;
  log: Logger;
  metrics: WorkerMetrics;
  /** Absent when nobody wants them. */
  traces: Traces | undefined;
  persist: Persist;
};

/** One kind of work: whose role it is, where its jobs wait, how many are taken at once, and what is done with each. */
export type Kind = { role: Role; queue: QueueName; concurrency: number; handler: Handler };

export type Work = { kinds: Kind[]; close(): Promise<void> };

/** Everything that a worker can do, on what it needs for it. What was parked is fetched from now on. */
export function openWork(config: WorkerConfig, parts: Parts): Work {
  const { db, log } = parts;
  const channels = (['sms', 'rcs'] as const).filter((channel) => config.roles.has(`deliver-${channel}`));
  const delivering = deliverDeps(config, parts, (task) => parking.note(task.webhookId, task.accountId));
  const { lanes } = delivering;
  const enqueue = openRetries(parts);
  const precedence = openPrecedence({ least: Math.ceil(config.concurrency / leastRetries) });
  const claimed = openClaimed({
    log,
    leaseMs: config.timeoutMs + leaseBeyondMs,
    callMs: config.timeoutMs + recordMs,
    // Those over what may be called at once wait for their turn in their lanes.
    most: config.concurrency * 2,
    mostParked: () => precedence.most(config.concurrency),
    deliver: (task, held) => deliverClaimed(delivering, task, held),
    enqueue,
    onEnd: () => parking.wake(),
  });
  const parking = openParking({ ...parts, lanes, channels, claimed, enqueue });
  // As many events as are taken in together have one delivery each in hand at least, and their calls begin in time. One
  // account has no more of them than leave others room, if all of its receivers hang.
  const mostOfAccount = Math.max(batchSize, config.concurrency);
  const bounds = { most: mostOfAccount * 4, mostOfAccount, heavy: [] };
  const own: IngestDeps['own'] = {
    room: () => claimed.room(),
    claim: () => ({ channels, leaseMs: claimed.leaseMs, ...bounds, full: lanes.full() }),
    taken: precedence.taken,
    start(made, askedAt) {
      claimed.start(made.claimed, askedAt);
      for (const { webhookId, accountId } of made.parked) parking.note(webhookId, accountId);
    },
  };
  const ingest: Handler = { suspectAfter, ...openIngest({ ...parts, own }) };
  const delivery: Handler = {
    suspectAfter: suspectAfter - 1,
    async handle({ data, priority }) {
      // A first attempt has a job where the event was not taken from a queue, or by another worker.
      const leave = priority === retryPriority ? await precedence.enter() : undefined;
      return deliver(delivering, idOf(data, 'deliveryId')).finally(leave);
    },
    async giveUp({ data }, reason) {
      log.error('delivery.given_up', { delivery_id: idOf(data, 'deliveryId'), reason });
      await endDelivery(db, idOf(data, 'deliveryId'), 'failed', reason);
    },
  };
  const verifying = verifyDeps(config, parts);
  const testing = testCallDeps(config, parts);
  const challenge: Handler = {
    suspectAfter,
    handle: ({ data }) => verify(verifying, idOf(data, 'verificationId')),
    giveUp: ({ data }, reason) => endVerification(db, idOf(data, 'verificationId'), reason),
  };
  const testCall: Handler = {
    suspectAfter,
    handle: ({ data }) => makeTestCall(testing, idOf(data, 'testCallId')),
    // Nobody waits for it any more.
    giveUp: () => Promise.resolve(),
  };
  const deliverConcurrency = config.concurrency * 2;
  const kinds = [
    { role: 'ingest-sms', queue: ingressQueues.sms, concurrency: ingestConcurrency, handler: ingest },
    { role: 'ingest-rcs', queue: ingressQueues.rcs, concurrency: ingestConcurrency, handler: ingest },
    { role: 'deliver-sms', queue: deliveryQueues.sms, concurrency: deliverConcurrency, handler: delivery },
    { role: 'deliver-rcs', queue: deliveryQueues.rcs, concurrency: deliverConcurrency, handler: delivery },
    { role: 'verify', queue: verificationQueue, concurrency: verifyConcurrency, handler: challenge },
    { role: 'verify', queue: testCallQueue, concurrency: testCallConcurrency, handler: testCall },
  ] satisfies Kind[];
  return {
    kinds,
    async close() {
      await parking.close();
      await claimed.ended();
    },
  };
}

function deliverDeps(config: WorkerConfig, parts: Parts, onPark: (task: DeliveryTask) => void): DeliverDeps {
  const ledger = openLedger({ ...parts, pausing: config.pausing });
  return {
    ...ledger,
    async park(task) {
      await ledger.park(task.id);
      onPark(task);
    },
    lanes: openLanes({ calls: config.concurrency }),
    payloads: openPayloads(ledger.loadPayload),
    inHand: new Set(),
    isSealed: openSealedCheck(parts.log),
    send: parts.metrics.inFlight(parts.sender.send),
    onAttempt(attempt) {
      parts.metrics.attempted(attempt);
      if (parts.traces) traceAttempt(parts.traces, attempt);
    },
    log: parts.log,
    retries: config.retries,
    requireVerification: config.requireVerification,
    version: readVersion(),
  };
}

function verifyDeps(config: WorkerConfig, { db, sender, log, persist }: Parts): VerifyDeps {
  const patient = <T>(act: () => Promise<T>) => persist(act, isDatabaseUnavailable);
  return {
    shares: openShares({ mostEach: challengesOfAccount, usualMs: config.timeoutMs }),
    load: (id) => patient(() => loadVerification(db, id)),
    record: (...words) => patient(() => recordVerification(db, ...words)),
    end: (id, reason) => patient(() => endVerification(db, id, reason)),
    isSealed: openSealedCheck(log),
    send: sender.send,
    log,
    retries: config.retries,
    version: readVersion(),
  };
}

function testCallDeps({ requireVerification }: WorkerConfig, { db, sender, log }: Parts): TestCallDeps {
  return {
    take: (id) => takeTestCall(db, id),
    record: (id, result) => recordTestCall(db, id, result),
    isSealed: openSealedCheck(log),
    send: sender.send,
    log,
    requireVerification,
    version: readVersion(),
  };
}
