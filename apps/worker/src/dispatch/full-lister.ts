import { type Database, listDueWebhooks, type WebhookChannel } from '@ringback/database';

const listEveryMs = 30_000;
const pageEveryMs = 100;
const pageSize = 500;

/**
 * Returns a function that reads the full list of webhooks with due deliveries, every 30 s, in pages at least 100 ms apart. A call
 * resolves with the next page, or with an empty list while it is too early for one.
 */
export function createFullLister(db: Database): () => Promise<WebhookChannel[]> {
  let listedAt = -Infinity;
  let position: WebhookChannel | null = null;
  return async () => {
    const waitMs = position === null ? listEveryMs : pageEveryMs;
    if (performance.now() - listedAt < waitMs) return [];
    listedAt = performance.now();
    const { due, next } = await listDueWebhooks(db, { limit: pageSize, after: position });
    position = next;
    return due;
  };
}
