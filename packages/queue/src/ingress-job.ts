import type { Job, JobJson, JobsOptions } from 'bullmq';
import { UnreadableData } from './unreadable-data.js';

/** The service decides about retries: a job that fails because of the service is delayed and tried again. */
const ownOptions: JobsOptions = { attempts: 1_000_000, backoff: { type: 'custom' }, stackTraceLimit: 0 };

const reasonPrefix = 'the data of the job ';

/** The reason why data cannot be used. It travels in `failedReason`, a field that BullMQ passes on and does not need. */
export const unreadableBecause = (problem: string) => reasonPrefix + problem;

/**
 * A platform's job without the options that its producer set. It is not repeated, and a failure that BullMQ deferred, such
 * as that of a child, is ignored.
 */
function withOwnOptions(json: JobJson): JobJson {
  const { repeatJobKey: _repeated, deferredFailure: _failed, ...rest } = json;
  const timestamp = Number.isFinite(json.timestamp) ? json.timestamp : Date.now();
  // A client in another language may leave the name out.
  return { ...rest, name: json.name ?? '', timestamp, opts: { ...ownOptions } };
}

/** Creates a job of an ingress queue from any data. `create` is BullMQ's function, which throws for data that is not JSON. */
export function createIngressJob(json: JobJson, create: (json: JobJson) => Job): Job {
  const own = withOwnOptions(json);
  const { failedReason = '' } = own;
  const keep = (reason: string) => {
    const job = create({ ...own, data: 'null' });
    job.data = new UnreadableData(json.data, reason);
    return job;
  };
  if (failedReason.startsWith(reasonPrefix)) return keep(failedReason);
  try {
    return create(own);
  } catch (error) {
    if (error instanceof SyntaxError) return keep(unreadableBecause('is not JSON'));
    throw error;
  }
}
