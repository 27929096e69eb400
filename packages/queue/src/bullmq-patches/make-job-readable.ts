import { isUtf8 } from 'node:buffer';
import type { Cluster, Redis } from 'ioredis';
import { tooLargeDefect, unreadableBecause } from '../event-queue/event-job.js';
import { originalSizeField } from './fetch-scripts.js';

// The fields of a job that are passed to BullMQ. Those of the first list are passed with any text: BullMQ also parses
// `data` as JSON, but readEventJob handles its error. `progress` and `parent` are passed only if they are JSON, and
// `parentKey`, a plain text, only together with `parent`. The producer's options are left out. So is a field `id`,
// which BullMQ would use as the job's id.
const uncheckedFields = ['name', 'data', 'timestamp', 'delay', 'priority', 'ats', 'atm', 'stc', 'processedOn', 'deid'];
const checkedFields = ['progress', 'parent', 'parentKey'];

/**
 * Returns the reply of a BullMQ script with a job that BullMQ can read, or unchanged if it has no job. If `progress` or
 * `parent` was not JSON, BullMQ would throw and the job would stay active for ever. All keys of the queue start with
 * `keyPrefix`.
 */
export async function makeJobReadable(client: Redis | Cluster, keyPrefix: string, reply: unknown): Promise<unknown> {
  if (!Array.isArray(reply) || !Array.isArray(reply[0])) return reply;
  const [raw, id, ...rest] = reply as [unknown[], unknown, ...unknown[]];
  const fields = toMap(raw.map(String));
  const passedNames = [...uncheckedFields, ...checkedFields].filter((name) => isPassed(name, fields));
  const pairs = passedNames.flatMap((name) => [name, fields.get(name) ?? '']);
  const defect = await findDataDefect(client, `${keyPrefix}${String(id)}`, fields);
  return [defect === undefined ? pairs : [...pairs, 'failedReason', unreadableBecause(defect)], id, ...rest];
}

/** Turns a list of alternating names and values into a map. */
function toMap(pairs: string[]): Map<string, string> {
  const map = new Map<string, string>();
  for (let index = 0; index + 1 < pairs.length; index += 2) map.set(pairs[index] ?? '', pairs[index + 1] ?? '');
  return map;
}

/** Whether a field is passed to BullMQ. */
function isPassed(name: string, fields: Map<string, string>): boolean {
  const value = fields.get(name);
  if (value === undefined) return false;
  if (name === 'parentKey') return isPassed('parent', fields);
  return !checkedFields.includes(name) || isJson(value);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Why the data of a job cannot be used, for `unreadableBecause`; undefined if it can. */
async function findDataDefect(
  client: Redis | Cluster,
  key: string,
  fields: Map<string, string>,
): Promise<string | undefined> {
  const originalSize = fields.get(originalSizeField);
  if (originalSize !== undefined) return tooLargeDefect(Number(originalSize));
  // Decoding the reply replaces invalid UTF-8 with U+FFFD. The producer may also have sent U+FFFD itself, so the bytes
  // are checked.
  if (!fields.get('data')?.includes('\uFFFD')) return undefined;
  const bytes = await client.hgetBuffer(key, 'data');
  return bytes === null || isUtf8(bytes) ? undefined : 'is not UTF-8';
}
