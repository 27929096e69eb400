import { isUtf8 } from 'node:buffer';
import type { Cluster, Redis } from 'ioredis';
import { unreadableBecause } from './ingress-job.js';
import { cutField, maxDataBytes } from './ingress-script.js';

// BullMQ parses the last two. Options are not read at all, and an `id` would be taken for the job's.
const plainFields = ['name', 'data', 'timestamp', 'delay', 'priority', 'ats', 'atm', 'stc', 'processedOn', 'deid'];
const parsedFields = ['progress', 'parent', 'parentKey'];

/**
 * What a script of BullMQ answered, its job as BullMQ can read it. It throws while it takes a job with a field that is
 * not JSON, and such a job would stay active for ever. `keys` is what the names of all keys of the queue begin with.
 */
export async function toReadable(client: Redis | Cluster, keys: string, result: unknown): Promise<unknown> {
  if (!Array.isArray(result) || !Array.isArray(result[0])) return result;
  const [raw, id, ...rest] = result as [unknown[], unknown, ...unknown[]];
  const fields = toMap(raw.map(String));
  const readable = [...plainFields, ...parsedFields].filter((name) => isReadable(name, fields));
  const because = await whyUnreadable(client, `${keys}${String(id)}`, fields);
  const words = readable.flatMap((name) => [name, fields.get(name) ?? '']);
  return [because === undefined ? words : [...words, 'failedReason', unreadableBecause(because)], id, ...rest];
}

function toMap(words: string[]): Map<string, string> {
  const map = new Map<string, string>();
  for (let at = 0; at + 1 < words.length; at += 2) map.set(words[at] ?? '', words[at + 1] ?? '');
  return map;
}

function isReadable(name: string, fields: Map<string, string>): boolean {
  const value = fields.get(name);
  if (value === undefined) return false;
  if (name === 'parentKey') return isReadable('parent', fields);
  return !parsedFields.includes(name) || parses(value);
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function whyUnreadable(
  client: Redis | Cluster,
  key: string,
  fields: Map<string, string>,
): Promise<string | undefined> {
  const cut = fields.get(cutField);
  if (cut !== undefined) return `has ${cut} bytes, and at most ${maxDataBytes} are taken`;
  // This is what stands for bytes that are no UTF-8 once Redis's answer is text; it may have been sent, too.
  if (!fields.get('data')?.includes('\uFFFD')) return undefined;
  const bytes = await client.hgetBuffer(key, 'data');
  return bytes === null || isUtf8(bytes) ? undefined : 'is not UTF-8';
}
