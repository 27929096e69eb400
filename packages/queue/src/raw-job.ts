import { isUtf8 } from 'node:buffer';
import type { Cluster, Redis } from 'ioredis';
import { unreadableBecause } from './ingress-job.js';
import { cutField, maxDataBytes } from './ingress-script.js';

// BullMQ parses the second list as JSON. Options are left out, and so is a field `id`, which BullMQ would use as the job's id.
const plainFields = ['name', 'data', 'timestamp', 'delay', 'priority', 'ats', 'atm', 'stc', 'processedOn', 'deid'];
const parsedFields = ['progress', 'parent', 'parentKey'];

/**
 * The result of a BullMQ script, with its job changed so that BullMQ can read it. BullMQ throws when a field of a job that it
 * takes is not JSON, and the job would stay active for ever. All keys of the queue start with `keyPrefix`.
 */
export async function toReadable(client: Redis | Cluster, keyPrefix: string, result: unknown): Promise<unknown> {
  if (!Array.isArray(result) || !Array.isArray(result[0])) return result;
  const [raw, id, ...rest] = result as [unknown[], unknown, ...unknown[]];
  const fields = toMap(raw.map(String));
  const readable = [...plainFields, ...parsedFields].filter((name) => isReadable(name, fields));
  const because = await whyUnreadable(client, `${keyPrefix}${String(id)}`, fields);
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
  // U+FFFD replaces invalid UTF-8 when the reply is decoded, but a producer may have sent it. The bytes tell which.
  if (!fields.get('data')?.includes('\uFFFD')) return undefined;
  const bytes = await client.hgetBuffer(key, 'data');
  return bytes === null || isUtf8(bytes) ? undefined : 'is not UTF-8';
}
