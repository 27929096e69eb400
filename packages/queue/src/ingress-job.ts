import type { Job, JobJson, JobsOptions } from 'bullmq';
import { UnreadableData } from './unreadable-data.js';

/** Retries belong to this service: a job that fails for a reason of ours waits and comes again. */
const ownOptions: JobsOptions = { attempts: 1_000_000, backoff: { type: 'custom' }, stackTraceLimit: 0 };

const unreadable = 'the data of the job ';

/** Why data cannot be used, in the field of a job that BullMQ hands on and nothing else needs. */
export const unreadableBecause = (what: string) => unreadable + what;

/**
 * A platform's job without the options that its producer set. Repetition ends with it, and a failure that BullMQ
 * deferred, such as that of a child, does not keep its event from being taken in.
 */
function withOwnOptions(json: JobJson): JobJson {
  const { repeatJobKey: _repeated, deferredFailure: _failed, ...rest } = json;
  const timestamp = Number.isFinite(json.timestamp) ? json.timestamp : Date.now();
  // A client in another language may leave the name out.
  return { ...rest, name: json.name ?? '', timestamp, opts: { ...ownOptions } };
}

/** The job of an ingress queue, whatever its data is. `create` is BullMQ's, which throws for data that is not JSON. */
export function createIngressJob(json: JobJson, create: (json: JobJson) => Job): Job {
  const own = withOwnOptions(json);
  const { failedReason = '' } = own;
  const keep = (reason: string) => {
    const job = create({ ...own, data: 'null' });
    job.data = new UnreadableData(json.data, reason);
    return job;
  };
  if (failedReason.startsWith(unreadable)) return keep(failedReason);
  try {
    return create(own);
  } catch (error) {
    if (error instanceof SyntaxError) return keep(unreadableBecause('is not JSON'));
    throw error;
  }
}
