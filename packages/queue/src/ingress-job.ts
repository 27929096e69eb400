import type { Job, JobJson, JobsOptions } from 'bullmq';
import { memberSources } from '@ringback/callbacks';
import { UnreadableData } from './unreadable-data.js';

/** Ringback decides about retries, not BullMQ: the worker delays a job that fails because of an error in Ringback. */
const ownOptions: JobsOptions = { attempts: 1_000_000, backoff: { type: 'custom' }, stackTraceLimit: 0 };

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
  return { ...rest, name: json.name ?? '', timestamp, opts: { ...ownOptions } };
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
    keepExactPayload(job, json.data);
    return job;
  } catch (error) {
    if (error instanceof SyntaxError) return createUnreadable(unreadableBecause('is not JSON'));
    throw error;
  }
}

/** Replaces a payload by its JSON text when parsing has changed it, such as the digits of a large number. */
function keepExactPayload(job: Job, text: unknown): void {
  const data: unknown = job.data;
  if (typeof text !== 'string' || typeof data !== 'object' || data === null || !('payload' in data)) return;
  if (typeof data.payload !== 'object' || Array.isArray(data) || isExact(data.payload, text)) return;
  const [source] = memberSources(text, 'payload');
  if (source !== undefined) job.data = { ...data, payload: source };
}

function isExact(payload: unknown, text: string): boolean {
  try {
    return text.includes(JSON.stringify(payload));
  } catch {
    // It is nested too deeply for JSON.stringify.
    return false;
  }
}
