import { type Channel, channels } from '@ringback/rules';
import type { Database } from '../connection/database.js';
import { text } from '../sql/columns.js';
import { statement } from '../sql/statement.js';

/**
 * The pace of an overloaded receiver, as the worker that sends to it tells the others: nothing starts for `pauseMs`,
 * and `rate` is in requests a second.
 */
type AnnouncedPace = { webhookId: string; accountId: string; pauseMs: number; rate: number };

/** The paces of a worker, which makes attempts of these channels. */
export type PaceAnnouncement = { workerId: string; channels: Channel[]; paces: AnnouncedPace[] };

export const paceChannel = 'ringback_pace';

const announceStatement = statement<{ payloads: string[] }>(
  `SELECT pg_notify('${paceChannel}', p)::text AS sent FROM unnest($payloads::text[]) AS p`,
).returns({ sent: text });

// A NOTIFY payload must be shorter than 8,000 bytes, and a pace takes up to 95.
const maxPerPayload = 75;

/** Tells the other workers. Nothing is stored: a worker that hears nothing goes on by itself. */
export async function announcePaces(
  { pool }: Database,
  { workerId, channels, paces }: PaceAnnouncement,
): Promise<void> {
  const payloads: string[] = [];
  for (let start = 0; start < paces.length; start += maxPerPayload)
    payloads.push([workerId, channels.join('+'), ...paces.slice(start, start + maxPerPayload).map(textOf)].join(','));
  await announceStatement.run(pool, { payloads });
}

const textOf = ({ webhookId, accountId, pauseMs, rate }: AnnouncedPace) =>
  [webhookId, accountId, Math.ceil(pauseMs), Number(rate.toPrecision(3))].join('|');

/** Reads a payload of `paceChannel`. What it doesn't know, such as that of a later version, it leaves out. */
export function parsePaceAnnouncement(payload: string): PaceAnnouncement {
  const [workerId = '', channelsText = '', ...texts] = payload.split(',');
  const paces = texts.flatMap((paceText) => {
    const [webhookId, accountId, ...numbers] = paceText.split('|');
    const [pauseMs = NaN, rate = NaN] = numbers.map(Number);
    return webhookId && accountId && pauseMs >= 0 && rate > 0 ? [{ webhookId, accountId, pauseMs, rate }] : [];
  });
  const names = channelsText.split('+');
  return { workerId, channels: channels.filter((channel) => names.includes(channel)), paces };
}
