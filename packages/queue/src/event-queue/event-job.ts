import type { Job, JobJson } from 'bullmq';
import { withExactPayload } from '@ringback/callbacks';
import { jobOptions } from '../jobs.js';
import { UnreadableData } from './unreadable-data.js';

const reasonPrefix = 'the data of the job ';

/**
 * The reason why the data of a job cannot be used. `makeJobReadable` passes it to `readEventJob` in the job's field
 * `failedReason`, which BullMQ copies and does not use before the job fails.
 */
export const unreadableBecause = (problem: string) => reasonPrefix + problem;

/**
 * Replaces the producer's options with those of the worker. A scheduler does not repeat the job, and a deferred
 * failure, such as that of a child job, is ignored.
 */
function dropProducerSettings(json: JobJson): JobJson {
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
  const cleanJson = dropProducerSettings(json);
  const { failedReason = '' } = cleanJson;
  const createUnreadable = (reason: string) => {
    const job = create({ ...cleanJson, data: 'null' });
    job.data = new UnreadableData(json.data, reason);
    return job;
  };
  if (failedReason.startsWith(reasonPrefix)) return createUnreadable(failedReason);
  try {
    const job = create(cleanJson);
    if (typeof json.data === 'string') job.data = withExactPayload(job.data, json.data);
    return job;
  } catch (error) {
    if (error instanceof SyntaxError) return createUnreadable(unreadableBecause('is not JSON'));
    throw error;
  }
}
