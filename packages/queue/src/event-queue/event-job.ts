import type { Job, JobJson } from 'bullmq';
import { withExactPayload } from '@ringback/rules';
import { maxDataBytes } from '../bullmq-patches/fetch-scripts.js';
import { jobOptions } from '../jobs.js';
import { UnreadableData } from './unreadable-data.js';

const reasonPrefix = 'the data of the job ';

/**
 * The reason why the data of a job cannot be used, from a defect such as `is not JSON`. `makeJobReadable` passes the
 * reason to `readEventJob` in the job's field `failedReason`, which BullMQ copies and does not use before the job
 * fails.
 */
export const unreadableBecause = (defect: string) => reasonPrefix + defect;

/** The defect of data over `maxDataBytes`. */
export const tooLargeDefect = (bytes: number) => `has ${bytes} bytes, and at most ${maxDataBytes} are taken`;

const maxKeptCharacters = 1_000;

/**
 * Replaces the producer's options with those of the worker, a missing name with an empty one, and an invalid timestamp
 * with the current time. Removes two fields, so that a scheduler does not repeat the job, and a deferred failure, such
 * as that of a child job, is ignored.
 */
function normalizeJob(json: JobJson): JobJson {
  const { repeatJobKey: _repeatJobKey, deferredFailure: _deferredFailure, ...rest } = json;
  const timestamp = Number.isFinite(json.timestamp) ? json.timestamp : Date.now();
  // A client in another language may leave the name out.
  return { ...rest, name: json.name ?? '', timestamp, opts: { ...jobOptions } };
}

/**
 * Creates a job of an event queue from any data. Data that cannot be read becomes `UnreadableData`. A payload that
 * JSON.stringify would write differently becomes its JSON text. `create` is BullMQ's function, which throws for data
 * that is not JSON.
 */
export function readEventJob(json: JobJson, create: (json: JobJson) => Job): Job {
  const normalJson = normalizeJob(json);
  const { failedReason = '' } = normalJson;
  const createUnreadable = (reason: string, text = json.data) => {
    const job = create({ ...normalJson, data: 'null' });
    job.data = new UnreadableData(text, reason);
    return job;
  };
  if (failedReason.startsWith(reasonPrefix)) return createUnreadable(failedReason);
  // In Redis, a script has already truncated such data.
  const size = sizeOf(json.data);
  if (size > maxDataBytes)
    return createUnreadable(unreadableBecause(tooLargeDefect(size)), json.data.slice(0, maxKeptCharacters));
  try {
    const job = create(normalJson);
    if (typeof json.data === 'string') job.data = withExactPayload(job.data, json.data);
    return job;
  } catch (error) {
    if (error instanceof SyntaxError) return createUnreadable(unreadableBecause('is not JSON'));
    throw error;
  }
}

/** The size of a text in bytes, or a smaller number if the text is surely not over `maxDataBytes`. */
const sizeOf = (text: unknown) => {
  if (typeof text !== 'string') return 0;
  return text.length * 3 > maxDataBytes ? Buffer.byteLength(text) : text.length;
};
