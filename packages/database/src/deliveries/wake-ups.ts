import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WebhookChannel } from './webhook-channel.js';
import type { Database } from '../connection/open.js';

/** Wakes workers when deliveries are due. */
export type Waker = {
  /**
   * Returns at once. If a wake-up is lost, the deliveries wait for the next scan; those that became due more than 3 s
   * before the last scan wait for the full list, up to 30 s.
   */
  wake(due: WebhookChannel[]): void;
  /** Resolves when all wake-ups were sent or have failed. */
  close(): Promise<void>;
};

const notificationChannel = 'ringback_due';
// A NOTIFY payload must be shorter than 8,000 bytes.
const maxPerPayload = 80;

const textOf = ({ webhookId, channel, accountId }: WebhookChannel) => `${webhookId} ${channel} ${accountId}`;

/**
 * Creates a waker that uses NOTIFY. NOTIFY takes a lock on the whole database at commit, so the wake-ups of one turn of
 * the event loop are sent together, and so are those that arrive while others are being sent. Errors of sending go to
 * `onError`.
 */
export function createWaker({ pool }: Database, onError: (error: Error) => void): Waker {
  const waiting = new Set<string>();
  let sending: Promise<void> | undefined;
  const send = async () => {
    await nextTurn();
    while (waiting.size > 0) {
      const batch = [...waiting];
      waiting.clear();
      const payloads: string[] = [];
      for (let at = 0; at < batch.length; at += maxPerPayload)
        payloads.push(batch.slice(at, at + maxPerPayload).join(','));
      await pool
        .query(`SELECT pg_notify('${notificationChannel}', p) FROM unnest($1::text[]) AS p`, [payloads])
        .catch(onError);
    }
    sending = undefined;
  };
  return {
    wake(due) {
      if (due.length === 0) return;
      for (const webhook of due) waiting.add(textOf(webhook));
      sending ??= send();
    },
    close: async () => sending,
  };
}

/** What a listener does when deliveries are due. */
export type WakeUpListener = {
  /** Called when deliveries of these webhooks are due. */
  onDue(due: WebhookChannel[]): void;
  /** Called when wake-ups may have been missed. */
  onMissed(): void;
};

const reconnectMs = 1_000;

/**
 * Listens for wake-ups on a connection of the pool until the returned function is called. It calls `onMissed` whenever
 * it starts to listen, because wake-ups are lost while there is no connection. Behind a pooler in transaction mode, no
 * wake-up arrives.
 */
export function listenForWakeUps({ pool }: Database, { onDue, onMissed }: WakeUpListener): () => Promise<void> {
  let isStopped = false;
  let disconnect = () => {};
  const listen = async () => {
    const client = await pool.connect();
    const disconnected = new Promise<void>((resolve) => {
      disconnect = resolve;
      client.once('error', () => resolve());
      client.once('end', () => resolve());
    });
    try {
      client.on('notification', ({ payload = '' }) => onDue(parse(payload)));
      await client.query(`LISTEN ${notificationChannel}`);
      onMissed();
      if (!isStopped) await disconnected;
    } finally {
      // A connection that listens must not go back to the pool.
      client.release(true);
    }
  };
  const loop = (async () => {
    while (!isStopped) {
      await listen().catch(() => undefined);
      if (!isStopped)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, reconnectMs);
          disconnect = () => {
            clearTimeout(timer);
            resolve();
          };
        });
    }
  })();
  return async () => {
    isStopped = true;
    disconnect();
    await loop;
  };
}

function parse(payload: string): WebhookChannel[] {
  return payload.split(',').flatMap((text) => {
    const [webhookId, channel, accountId] = text.split(' ');
    const isKnown = channel === 'sms' || channel === 'rcs';
    return webhookId && accountId && isKnown ? [{ webhookId, channel, accountId }] : [];
  });
}
