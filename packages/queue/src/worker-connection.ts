import {
  type BackendFactory,
  type IQueueBackend,
  Job as BullJob,
  type JobJson,
  type withBackend,
  type WorkerOptions,
} from 'bullmq';
import { isEventQueue } from './jobs.js';
import { readEventBytes, readEventData } from './event-data.js';

/** A fetched job. Its `data` is the text that the producer pushed; `readData` returns what the text means. */
export type Job = BullJob<string>;

export type WorkerSettings = Pick<
  WorkerOptions,
  'lockDuration' | 'stalledInterval' | 'maxStalledCount' | 'drainDelay' | 'removeOnComplete' | 'removeOnFail'
>;

/**
 * BullMQ's Worker without a processor, which gives jobs only when asked (BullMQ's guide: "Manually processing jobs").
 * A token is a name for one job at a time: BullMQ locks a fetched job with it.
 */
export type WorkerConnection = {
  /** Resolves when the server responds; from then on, jobs of crashed workers return to the queue. */
  start(): Promise<void>;
  /** Resolves with the next job, or after some seconds with undefined. Must not be called while a call waits. */
  fetch(token: string): Promise<Job | undefined>;
  /** Removes a job that has been processed. With `fetchNext`, resolves with the next job, if one waits. */
  complete(job: Job, token: string, fetchNext: boolean): Promise<Job | undefined>;
  /** Renews the locks of jobs. Resolves with the ids of the jobs whose lock was lost. */
  renewLocks(held: { id: string; token: string }[]): Promise<string[]>;
  /** Reads the data of a job. Data that cannot be read becomes `UnreadableData`. */
  readData(job: Job): Promise<unknown>;
  /**
   * The job that is locked with the token although no caller got it, because BullMQ could not read one of its fields.
   * Undefined if there is none.
   */
  findUnreadable(token: string): Promise<Job | undefined>;
  /** Makes a job finishable whose parent is gone or cannot be read. The parent is not Ringback's. */
  forgetParent(job: Job): Promise<void>;
  /** Ends a waiting `fetch`. */
  endWait(): Promise<void>;
  /** Closes the connection at once. */
  close(): Promise<void>;
};

export type WorkerClass<Backend extends IQueueBackend, Connection> = ReturnType<
  typeof withBackend<Backend, Connection>
>['Worker'];

/** Reads and removes fields of a job as Redis stores them. Absent on PostgreSQL, where fields are always readable. */
export type RawFields = {
  read(jobKey: string, field: string): Promise<Buffer | null>;
  remove(jobKey: string, ...fields: string[]): Promise<unknown>;
};

type ConnectionOptions = {
  settings: WorkerSettings;
  onError: (error: Error) => void;
  rawFields?: RawFields;
};

/** Opens a connection with a Worker class whose backend was created with `keepDataText`. */
export function openWorkerConnection<Backend extends IQueueBackend, Connection>(
  Worker: WorkerClass<Backend, Connection>,
  name: string,
  connection: Omit<WorkerOptions<Connection>, keyof WorkerSettings>,
  { settings, onError, rawFields }: ConnectionOptions,
): WorkerConnection {
  const lockMs = settings.lockDuration ?? 30_000;
  const worker = new Worker<string>(name, null, { ...connection, ...settings } as WorkerOptions<Connection>);
  worker.on('error', onError);
  const read = isEventQueue(name) ? readEventData : (text: string): unknown => JSON.parse(text || '{}');
  return {
    async start() {
      await worker.waitUntilReady();
      await worker.startStalledCheckTimer();
    },
    fetch: (token) => worker.getNextJob(token) as Promise<Job | undefined>,
    async complete(job, token, fetchNext) {
      const next: unknown = await job.moveToCompleted(null, token, fetchNext);
      if (!Array.isArray(next) || !next[0]) return undefined;
      const [json, id] = next as [JobJson, string];
      return BullJob.fromJSON<string>(worker, json, id);
    },
    renewLocks: (held) =>
      worker.extendJobLocks(
        held.map(({ id }) => id),
        held.map(({ token }) => token),
        lockMs,
      ),
    async readData({ id = '', data }) {
      // Decoding replaces bytes that are not UTF-8 with U+FFFD, which the producer may also have sent.
      const isSuspect = rawFields !== undefined && data.includes('\uFFFD');
      const bytes = isSuspect ? await rawFields.read(worker.backend.toKey(id), 'data') : null;
      return bytes === null ? read(data) : readEventBytes(bytes);
    },
    async findUnreadable(token) {
      const ids = (await worker.backend.getRanges(['active'], 0, -1)).flat();
      if (ids.length === 0 || !rawFields) return undefined;
      // A lock can be renewed only with the token that it was taken with.
      const others = new Set(
        await worker.extendJobLocks(
          ids,
          ids.map(() => token),
          lockMs,
        ),
      );
      const id = ids.find((active) => !others.has(active));
      if (id === undefined) return undefined;
      const key = worker.backend.toKey(id);
      const [jobName, data] = await Promise.all([rawFields.read(key, 'name'), rawFields.read(key, 'data')]);
      return new BullJob<string>(worker, jobName?.toString() ?? '', data?.toString() ?? '', {}, id);
    },
    async forgetParent(job) {
      delete job.parent;
      delete job.parentKey;
      await rawFields?.remove(worker.backend.toKey(job.id ?? ''), 'parent', 'parentKey');
    },
    endWait: () => worker.backend.disconnectBlocking(false),
    close: () => worker.close(true),
  };
}

// BullMQ may wait for a delayed job for up to an hour, and would then not notice one that is due earlier.
const maxWaitSeconds = 5;

/**
 * Makes a backend give the data of each job as the text that the producer pushed. BullMQ would parse it, which fails
 * for data that is not JSON and changes numbers that JavaScript rounds. The producer's options are left out: the worker
 * decides about retries and about which finished jobs are kept. So is the scheduler of a job, which would push it
 * again.
 */
export function keepDataText<Backend extends IQueueBackend, Connection>(
  create: BackendFactory<Backend, Connection>,
): BackendFactory<Backend, Connection> {
  return (...args) => {
    const backend = create(...args);
    const shared: IQueueBackend = backend;
    const moveToActive = shared.moveToActive.bind(shared);
    const moveToCompleted = shared.moveToCompleted.bind(shared);
    const waitForJob = shared.waitForJob.bind(shared);
    shared.moveToActive = async (...moveArgs) => withDataText(await moveToActive(...moveArgs));
    shared.moveToCompleted = async (...moveArgs) => {
      const moved = await moveToCompleted(...moveArgs);
      return Array.isArray(moved.result) ? { ...moved, result: withDataText(moved.result) } : moved;
    };
    shared.waitForJob = (seconds) => waitForJob(Math.min(seconds, maxWaitSeconds));
    return backend;
  };
}

function withDataText([json, ...rest]: unknown[]): unknown[] {
  if (typeof json !== 'object' || json === null) return [json, ...rest];
  const { data, name, timestamp, repeatJobKey: _repeatJobKey, ...fields } = json as Partial<JobJson>;
  const text = {
    ...fields,
    // Clients in other languages may leave the name out.
    name: name ?? '',
    data: JSON.stringify(data ?? ''),
    opts: {},
    timestamp: Number.isFinite(timestamp) ? timestamp : Date.now(),
  };
  return [text, ...rest];
}
