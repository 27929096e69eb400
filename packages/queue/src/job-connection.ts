import { isUtf8 } from 'node:buffer';
import { withExactPayload } from '@ringback/rules';
import {
  type BackendFactory,
  type IQueueBackend,
  Job as BullJob,
  type JobJson,
  type Worker,
  type WorkerOptions,
} from 'bullmq';
import { Cluster, type Redis } from 'ioredis';
import { isEventQueue } from './jobs.js';

/**
 * The maximum size, in bytes, of a job's data and of a broker's message. Larger data becomes a rejected event that
 * keeps its first 1,000 characters.
 */
export const maxDataBytes = 16 * 1024 * 1024;

const maxKeptCharacters = 1_000;

/** Stands in for the data of a job that cannot be read. */
export class UnreadableData {
  constructor(
    readonly text: string,
    readonly reason: string,
  ) {}
}

/**
 * Reads the data of a job from the text that its producer pushed. A payload whose numbers or spelling `JSON.stringify`
 * would change becomes its JSON text. Data that is too large or not JSON becomes `UnreadableData`.
 */
export function readEventData(text: string): unknown {
  const bytes = sizeOf(text);
  if (bytes > maxDataBytes) {
    const reason = `the data of the job has ${bytes} bytes, and at most ${maxDataBytes} are taken`;
    return new UnreadableData(text.slice(0, maxKeptCharacters), reason);
  }
  try {
    // BullMQ's clients leave the data of a job without data out.
    return withExactPayload(JSON.parse(text || '{}'), text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return new UnreadableData(text, 'the data of the job is not JSON');
  }
}

/**
 * Reads data from the bytes that Redis returned. They are checked, because decoding would silently replace what is not
 * UTF-8.
 */
function readEventBytes(bytes: Buffer): unknown {
  const text = bytes.toString();
  return isUtf8(bytes) ? readEventData(text) : new UnreadableData(text, 'the data of the job is not UTF-8');
}

/** The size of a text in bytes. Counting costs time, so a text that is surely small enough gets its length instead. */
const sizeOf = (text: string) => (text.length * 3 > maxDataBytes ? Buffer.byteLength(text) : text.length);

/** A fetched job. Its `data` is the text that the producer pushed; `readData` returns what the text means. */
export type Job = BullJob<string>;

export type WorkerSettings = Pick<
  WorkerOptions,
  'lockDuration' | 'stalledInterval' | 'maxStalledCount' | 'drainDelay' | 'removeOnComplete' | 'removeOnFail'
>;

/** The part of BullMQ's Worker that Ringback uses, on any engine. */
type BullWorker = ConstructorParameters<typeof BullJob>[0] &
  Pick<
    Worker<string, unknown, string, IQueueBackend>,
    'name' | 'backend' | 'waitUntilReady' | 'startStalledCheckTimer' | 'getNextJob' | 'extendJobLocks' | 'close'
  >;

/** A connection to Redis. */
export type RedisClient = Redis | Cluster;

/**
 * BullMQ's Worker without a processor, which gives jobs only when asked (BullMQ's guide: "Manually processing jobs").
 * A token is a name for one job at a time: BullMQ locks a fetched job with it.
 */
export class JobConnection {
  readonly #worker: BullWorker;
  readonly #lockMs: number;
  readonly #redis: RedisClient | undefined;
  readonly #read: (text: string) => unknown;

  /**
   * The backend of the worker was created with `keepDataText`. `redis` is the worker's own client, which reads and
   * removes fields of jobs as Redis stores them. It is absent on PostgreSQL, where fields are always readable.
   */
  constructor(worker: BullWorker, { lockDuration }: Required<WorkerSettings>, redis?: RedisClient) {
    this.#worker = worker;
    this.#lockMs = lockDuration;
    this.#redis = redis;
    this.#read = isEventQueue(worker.name) ? readEventData : (text) => JSON.parse(text || '{}');
  }

  /** Resolves when the server responds; from then on, jobs of crashed workers return to the queue. */
  async start(): Promise<void> {
    await this.#worker.waitUntilReady();
    await this.#worker.startStalledCheckTimer();
  }

  /** Resolves with the next job, or after some seconds with undefined. Must not be called while a call waits. */
  fetch(token: string): Promise<Job | undefined> {
    return this.#worker.getNextJob(token) as Promise<Job | undefined>;
  }

  /** Removes a job that has been processed. With `fetchNext`, resolves with the next job, if one waits. */
  async complete(job: Job, token: string, fetchNext: boolean): Promise<Job | undefined> {
    if (this.#redis) writeTogether(this.#redis);
    const next: unknown = await job.moveToCompleted(null, token, fetchNext);
    if (!Array.isArray(next) || !next[0]) return undefined;
    const [json, id] = next as [JobJson, string];
    return BullJob.fromJSON<string>(this.#worker, json, id);
  }

  /** Renews the locks of jobs. Resolves with the ids of the jobs whose lock was lost. */
  renewLocks(held: { id: string; token: string }[]): Promise<string[]> {
    return this.#worker.extendJobLocks(
      held.map(({ id }) => id),
      held.map(({ token }) => token),
      this.#lockMs,
    );
  }

  /** Reads the data of a job. Data that cannot be read becomes `UnreadableData`. */
  async readData({ id = '', data }: Job): Promise<unknown> {
    // Decoding replaces bytes that are not UTF-8 with U+FFFD, which the producer may also have sent.
    const isSuspect = this.#redis !== undefined && data.includes('\uFFFD');
    const bytes = isSuspect ? await this.#redis.hgetBuffer(this.#keyOf(id), 'data') : null;
    return bytes === null ? this.#read(data) : readEventBytes(bytes);
  }

  /**
   * The job that is locked with the token although no caller got it, because BullMQ could not read one of its fields.
   * Undefined if there is none.
   */
  async findUnreadable(token: string): Promise<Job | undefined> {
    const ids = (await this.#worker.backend.getRanges(['active'], 0, -1)).flat();
    if (ids.length === 0 || !this.#redis) return undefined;
    // A lock can be renewed only with the token that it was taken with.
    const others = new Set(await this.renewLocks(ids.map((id) => ({ id, token }))));
    const id = ids.find((active) => !others.has(active));
    if (id === undefined) return undefined;
    const [name, data] = await this.#redis.hmgetBuffer(this.#keyOf(id), 'name', 'data');
    return new BullJob<string>(this.#worker, name?.toString() ?? '', data?.toString() ?? '', {}, id);
  }

  /** Makes a job finishable whose parent is gone or cannot be read. The parent is not Ringback's. */
  async forgetParent(job: Job): Promise<void> {
    delete job.parent;
    delete job.parentKey;
    await this.#redis?.hdel(this.#keyOf(job.id ?? ''), 'parent', 'parentKey');
  }

  /** Ends a waiting `fetch`. */
  async endWait(): Promise<void> {
    await this.#worker.backend.disconnectBlocking(false);
  }

  /** Closes the connection at once. */
  async close(): Promise<void> {
    // BullMQ leaves a client open that it did not create.
    await this.#worker.close(true).finally(() => this.#redis?.disconnect());
  }

  #keyOf(jobId: string): string {
    return this.#worker.backend.toKey(jobId);
  }
}

/**
 * Holds what the client writes to its sockets until the end of this turn of the event loop, and then writes it
 * together, because a system call costs more than a command. ioredis's automatic pipelines would create an object with
 * several hundred properties for each pipeline, which costs more than it saves when commands come one by one.
 */
function writeTogether(client: RedisClient): void {
  if (client instanceof Cluster) return client.nodes('master').forEach(writeTogether);
  const { stream } = client;
  if (!stream?.writable || stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
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
