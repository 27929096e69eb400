import { randomUUID } from 'node:crypto';
import type { PaceAnnouncement } from '@ringback/ledger';
import type { Channel } from '@ringback/rules';
import type { Pace } from './pace.js';

/** Tells other workers of overloaded receivers. */
export type AnnouncePaces = (announcement: PaceAnnouncement) => void;

type PacedWebhook = { webhookId: string; accountId: string; pace: Pace | null };

const announceMs = 1_000;

/**
 * One worker sends to an overloaded receiver, so that its pace is that of all workers together: the one that was
 * refused announces the pace at once, and then every second. The others wait while they hear it.
 */
export class PaceAnnouncer {
  readonly #workerId = randomUUID();
  readonly #channels: Channel[];
  readonly #announce: AnnouncePaces;
  #announcedAtMs = -Infinity;

  /** `channels`: those of which this worker makes attempts. */
  constructor(channels: Channel[], announce: AnnouncePaces) {
    this.#channels = channels;
    this.#announce = announce;
  }

  /** Announces the paces of those webhooks to which this worker sends. */
  announce(webhooks: Iterable<PacedWebhook>, nowMs: number): void {
    const paces = [...webhooks].flatMap(({ webhookId, accountId, pace }) =>
      pace?.isOwn ? [{ webhookId, accountId, ...pace.state(nowMs) }] : [],
    );
    if (paces.length > 0) this.#announce({ workerId: this.#workerId, channels: this.#channels, paces });
  }

  /** Does the same, unless it did so in the last second. */
  announceEverySecond(webhooks: Iterable<PacedWebhook>, nowMs: number): void {
    if (nowMs - this.#announcedAtMs < announceMs) return;
    this.#announcedAtMs = nowMs;
    this.announce(webhooks, nowMs);
  }

  /** How an announcement of another worker is to be heard; null if it is this worker's own. */
  relationTo({ workerId, channels }: PaceAnnouncement): { isSenior: boolean; sharesPauseOnly: boolean } | null {
    if (workerId === this.#workerId) return null;
    const servesAll = this.#channels.every((channel) => channels.includes(channel));
    return { isSenior: workerId < this.#workerId, sharesPauseOnly: !servesAll };
  }
}
