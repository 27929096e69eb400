import { setImmediate as nextTurn } from 'node:timers/promises';
import type { WebhookChannel } from './claims.js';
import type { Database } from './open.js';

/** Tells workers at once that deliveries are due. */
export type Waker = {
  /** Returns at once. A wake-up that gets lost costs time: workers look for what is due every few seconds anyway. */
  wake(due: WebhookChannel[]): void;
  /** Resolves when all wake-ups were sent, or could not be. */
  close(): Promise<void>;
};

const channelName = 'ringback_due';
// PostgreSQL takes payloads of less than 8,000 bytes.
const maxListed = 80;

const textOf = ({ webhookId, channel, accountId }: WebhookChannel) => `${webhookId} ${channel} ${accountId}`;

/**
 * A waker that uses NOTIFY. Wake-ups of one turn of the event loop are sent together, and so are those that come while others
 * are under way: NOTIFY takes a lock of the whole database at commit. `onError` hears of wake-ups that could not be sent.
 */
export function createWaker({ pool }: Database, onError: (error: Error) => void): Waker {
  const waiting = new Set<string>();
  let sending: Promise<void> | undefined;
  const send = async () => {
    await nextTurn();
    while (waiting.size > 0) {
      const listed = [...waiting];
      waiting.clear();
      const payloads: string[] = [];
      for (let at = 0; at < listed.length; at += maxListed) payloads.push(listed.slice(at, at + maxListed).join(','));
      await pool.query(`SELECT pg_notify('${channelName}', p) FROM unnest($1::text[]) AS p`, [payloads]).catch(onError);
    }
    sending = undefined;
  };
  return {
    wake(due) {
      if (due.length === 0) return;
      for (const one of due) waiting.add(textOf(one));
      sending ??= send();
    },
    close: async () => sending,
  };
}

export type WakeUps = {
  /** Deliveries of these webhooks are due. */
  onDue(due: WebhookChannel[]): void;
  /** Something is due, or wake-ups may have been missed. */
  onGap(): void;
};

const reconnectMs = 1_000;

/**
 * Listens for wake-ups on a connection of the pool until the returned function is called. While the connection is away
 * nothing is heard; `onGap` is called when it is back. Behind a pooler that shares sessions nothing is ever heard.
 */
export function listenForWakeUps({ pool }: Database, { onDue, onGap }: WakeUps): () => Promise<void> {
  let stopped = false;
  let disconnect = () => {};
  const listen = async () => {
    const client = await pool.connect();
    const isOver = new Promise<void>((resolve) => {
      disconnect = resolve;
      client.once('error', () => resolve());
      client.once('end', () => resolve());
    });
    try {
      client.on('notification', ({ payload = '' }) => (payload === '' ? onGap() : onDue(parse(payload))));
      await client.query(`LISTEN ${channelName}`);
      onGap();
      if (!stopped) await isOver;
    } finally {
      // Closed rather than given back, since it listens.
      client.release(true);
    }
  };
  const loop = (async () => {
    while (!stopped) {
      await listen().catch(() => undefined);
      if (!stopped)
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
    stopped = true;
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
