import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel } from '@ringback/callbacks';
import {
  claimParked,
  type Database,
  type DeliveryTask,
  listParkedWebhooks,
  type WebhookRoom,
} from '@ringback/database';
import type { QueuedDelivery } from '@ringback/queue';
import { errorFields, type Logger } from '@ringback/runtime';
import type { Claimed } from './claimed.js';
import type { Lanes } from './lanes.js';

export type ParkingDeps = {
  db: Database;
  log: Logger;
  lanes: Lanes;
  /** Those whose deliveries this worker makes. */
  channels: Channel[];
  claimed: Claimed;
  /** Gives a delivery whose worker has died a job. */
  enqueue(delivery: QueuedDelivery): Promise<void>;
};

export type Parking = {
  /** Says that a delivery of the webhook was parked, so that it is fetched as soon as there is room. */
  note(webhookId: string, accountId: string): void;
  /** Says that there may be room. */
  wake(): void;
  /** Stops fetching. */
  close(): Promise<void>;
};

const everyMs = 250;
const breathMs = 10;
const sweepEveryMs = 2_000;
// What was parked less than a moment ago can't be fetched yet, and a rate limit may let one callback a second through.
const forgetAfterMs = 2_000;
// A webhook that gave less than it was asked for has no more, or its rate limit lets no more through: it is left alone
// for a moment, however often there is room.
const drainedMs = 100;
const mostAtOnce = 50;
// After PostgreSQL was away, whoever made a call meanwhile has so long to record it: longer than any patience sleeps.
const graceMs = 6_000;
const mostWebhooks = 10_000;

/**
 * Fetches parked deliveries when their webhooks have room for more calls, all in one statement, and has their attempts
 * made without a job. Now and then it looks for what other workers parked, or left when they died.
 */
export function openParking(deps: ParkingDeps): Parking {
  const { db, lanes, channels, claimed } = deps;
  // In the order in which they were asked for last, so that each has its turn.
  const known = new Map<string, { accountId: string; notedAt: number; askAt: number }>();
  let closed = false;
  let sweptAt = -Infinity;
  let sweptTo: string | null = null;
  let failedAt = -Infinity;
  let woken = false;
  let ring = () => {};
  const wake = () => {
    woken = true;
    ring();
  };
  const note = (webhookId: string, accountId: string) => {
    const askAt = known.get(webhookId)?.askAt ?? -Infinity;
    known.set(webhookId, { accountId, notedAt: performance.now(), askAt });
  };

  const sweep = async () => {
    sweptAt = performance.now();
    const found = await listParkedWebhooks(db, { limit: mostWebhooks, after: sweptTo });
    for (const { webhookId, accountId } of found) if (!known.has(webhookId)) note(webhookId, accountId);
    // The next one goes on where there are more, and begins anew behind the last.
    sweptTo = found.length < mostWebhooks ? null : (found.at(-1)?.webhookId ?? null);
  };
  const choose = (): WebhookRoom[] => {
    const wanted: WebhookRoom[] = [];
    const roomFor = lanes.plan();
    let free = claimed.free();
    const now = performance.now();
    for (const [webhookId, { accountId, askAt }] of known) {
      if (free <= 0) break;
      if (askAt > now) continue;
      const room = roomFor(webhookId, accountId, Math.min(mostAtOnce, free));
      if (room === 0) continue;
      free -= room;
      wanted.push({ webhookId, room });
    }
    return wanted;
  };
  const keepInMind = (wanted: WebhookRoom[], fetched: DeliveryTask[]) => {
    const now = performance.now();
    const counts = new Map<string, number>();
    for (const { webhookId } of fetched) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1);
    for (const { webhookId, room } of wanted) {
      const one = known.get(webhookId);
      if (!one) continue;
      const count = counts.get(webhookId) ?? 0;
      const notedAt = count > 0 ? now : one.notedAt;
      known.delete(webhookId);
      if (now - notedAt > forgetAfterMs) continue;
      known.set(webhookId, { ...one, notedAt, askAt: count < room ? now + drainedMs : now });
    }
  };
  const round = async () => {
    if (channels.length === 0) return;
    if (performance.now() - sweptAt > sweepEveryMs) await sweep();
    const wanted = choose();
    if (wanted.length === 0) return;
    const askedAt = performance.now();
    const orphans = askedAt - failedAt > graceMs;
    const found = await claimParked(db, wanted, { channels, leaseMs: claimed.leaseMs, orphans });
    claimed.resume(found.claimed, askedAt);
    keepInMind(wanted, found.claimed);
    if (found.orphaned.length === 0) return;
    deps.log.warn('delivery.orphaned', { count: found.orphaned.length });
    await Promise.all(found.orphaned.map((delivery) => deps.enqueue({ ...delivery, dueInMs: 0 })));
  };

  const complain = (error: unknown) => {
    failedAt = performance.now();
    deps.log.error('parking.failed', errorFields(error));
  };
  const loop = (async () => {
    while (!closed) {
      woken = false;
      await round().catch(complain);
      await sleep(breathMs);
      const rung = new Promise<void>((resolve) => (ring = resolve));
      if (!woken) await Promise.race([sleep(everyMs), rung]);
    }
  })();

  return {
    note,
    wake() {
      if (known.size > 0) wake();
    },
    async close() {
      closed = true;
      wake();
      await loop;
    },
  };
}
