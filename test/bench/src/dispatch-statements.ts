import {
  claimDue,
  createPartitions,
  type Database,
  type DueCursor,
  listDueWebhooks,
  openDatabase,
  releaseLeases,
  rescueExpiredLeases,
  scanDue,
} from '@ringback/ledger';
import { now } from './clock.js';
import { storeDue } from './due-deliveries.js';
import { addPastPartitions } from './ledger.js';
import { readExactCpuUs } from './measurements.js';
import type { Stack, TargetWebhook } from './stack.js';

/** The time of a statement as its client sees it, in ms, and the CPU time of its server process, in µs. */
type Sample = { ms: number; cpuUs: number };

/** Runs the statements of a dispatcher, one at a time, over one connection of a worker. */
export type Dispatching = {
  /** The samples of each statement so far, by its name. */
  samples: Map<string, Sample[]>;
  /** One round of a dispatcher. Makes five deliveries of each healthy webhook due, which the round claims last. */
  runRound(): Promise<void>;
  /** Claims 50 deliveries of the dead receiver and postpones them for an hour. */
  claimForDead(): Promise<void>;
  close(): Promise<void>;
};

export const healthyCount = 100;
export const dueEach = 5;
// The limits of a dispatcher: deliveries of a webhook in a claim, and webhooks on a page of its list.
export const maxPerWebhook = 50;
const pageSize = 500;
/** The statements of a round, and the claim of the dead receiver's deliveries, by their names in `samples`. */
export const dispatcherStatements = ['claimDue', 'scanDue', 'listDueWebhooks', 'rescueExpiredLeases'];
export const deadReceiverStatement = 'claimDue of the dead receiver';
/** The number of deliveries that each claim takes. */
export const claimedBy: Record<string, number> = {
  claimDue: healthyCount * dueEach,
  [deadReceiverStatement]: maxPerWebhook,
};
const leaseMs = 45_000;
const postponeMs = 3_600_000;
// As with the default RETENTION_DAYS.
const retentionDays = 30;
const partitionDays = 6;

/** Prepares a ledger of 30 days with 100 healthy webhooks, and opens the connection. */
export async function prepareDispatching(stack: Stack, dead: TargetWebhook): Promise<Dispatching> {
  await addPastPartitions(stack.db, { days: retentionDays, lengthDays: partitionDays });
  await createPartitions(stack.db.pool, { retentionDays });
  const healthy = await stack.addWebhooks('healthy', healthyCount);
  await storeDue(stack, healthy, dueEach);
  // The same server process executes all statements.
  const connection = { connections: 1, keepConnections: true };
  const worker = openDatabase({ url: stack.servers.databaseUrl, ...connection, planner: 'indexes' });
  const samples = new Map<string, Sample[]>();
  const measure = await createMeasure(stack, worker, samples);
  let position: DueCursor | null = null;
  let rescueBefore = '-infinity';
  const claim = async (webhooks: TargetWebhook[], expected: number) => {
    const requests = webhooks.map(({ id }) => ({ webhookId: id, channel: 'sms' as const, limit: maxPerWebhook }));
    const { tasks } = await claimDue(worker, requests, { leaseMs });
    if (tasks.length !== expected) throw new Error(`claimed ${tasks.length} deliveries instead of ${expected}`);
    return tasks;
  };
  return {
    samples,
    async runRound() {
      await makeDue(stack, healthy);
      const rescue = await measure('rescueExpiredLeases', () => rescueExpiredLeases(worker, { before: rescueBefore }));
      rescueBefore = rescue.now;
      const list = await measure('listDueWebhooks', () => listDueWebhooks(worker, { limit: pageSize, after: null }));
      const scan = await measure('scanDue', () => scanDue(worker, position));
      position = scan.position;
      if (list.due.length < healthyCount || scan.due.length < healthyCount)
        throw new Error('due webhooks were not found');
      await measure('claimDue', () => claim(healthy, healthyCount * dueEach));
    },
    async claimForDead() {
      const tasks = await measure(deadReceiverStatement, () => claim([dead], maxPerWebhook));
      await releaseLeases(
        stack.db,
        tasks.map(({ id, leasedAt }) => ({ id, leasedAt, waitMs: postponeMs })),
      );
    },
    close: () => worker.close(),
  };
}

async function createMeasure({ servers }: Stack, { pool }: Database, samples: Map<string, Sample[]>) {
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  // The server may run on another machine.
  const pid = servers.postgresPid === undefined ? undefined : rows[0]?.pid;
  return async <T>(name: string, act: () => Promise<T>): Promise<T> => {
    const [cpuBefore, startedAt] = [readExactCpuUs(pid), now()];
    const result = await act();
    const ms = now() - startedAt;
    samples.set(name, [...(samples.get(name) ?? []), { ms, cpuUs: readExactCpuUs(pid) - cpuBefore }]);
    return result;
  };
}

/** Makes all deliveries of these webhooks due now, without a lease. */
async function makeDue({ db }: Stack, webhooks: TargetWebhook[]): Promise<void> {
  await db.pool.query(
    `UPDATE deliveries SET due_at = clock_timestamp(), leased_at = NULL, lease_expires_at = NULL, updated_at = clock_timestamp()
      WHERE webhook_id = ANY ($1::uuid[])`,
    [webhooks.map(({ id }) => id)],
  );
}
