import type { Job, JobJson } from 'bullmq';
import { withExactPayload } from '@ringback/callbacks';
import { jobOptions } from '../jobs.js';
import { UnreadableData } from './unreadable-data.js';

const reasonPrefix = 'the data of the job ';

/**
 * Why the data of a job cannot be used. It is passed in `failedReason`, a field that BullMQ copies and does not use
 * here.
 */
export const unreadableBecause = (problem: string) => reasonPrefix + problem;

/**
 * Replaces the options that the producer set with our own. The job is not repeated by a scheduler, and a deferred failure,
 * such as that of a child job, is ignored.
 */
function withOwnOptions(json: JobJson): JobJson {
  const { repeatJobKey: _repeated, deferredFailure: _failed, ...rest } = json;
  const timestamp = Number.isFinite(json.timestamp) ? json.timestamp : Date.now();
  // A client in another language may leave the name out.
  return { ...rest, name: json.name ?? '', timestamp, opts: { ...jobOptions } };
}

/**
 * Creates a job of an ingress queue from any data. Data that cannot be read becomes `UnreadableData`. A payload that
 * JavaScript cannot represent exactly becomes its JSON text. `create` is BullMQ's function, which throws for data that is
 * not JSON.
 */
export function createIngressJob(json: JobJson, create: (json: JobJson) => Job): Job {
  const own = withOwnOptions(json);
  const { failedReason = '' } = own;
  const createUnreadable = (reason: string) => {
    const job = create({ ...own, data: 'null' });
    job.data = new UnreadableData(json.data, reason);
    return job;
  };
  if (failedReason.startsWith(reasonPrefix)) return createUnreadable(failedReason);
  try {
    const job = create(own);
    if (typeof json.data === 'string') job.data = withExactPayload(job.data, json.data);
    return job;
  } catch (error) {
    if (error instanceof SyntaxError) return createUnreadable(unreadableBecause('is not JSON'));
    throw error;
  }
}
