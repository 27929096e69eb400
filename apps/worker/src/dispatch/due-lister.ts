import { type Database, listDueWebhooks, type WebhookChannel } from '@ringback/database';

const listEveryMs = 30_000;
const pageEveryMs = 100;
const pageSize = 500;

/**
 * Returns a function that lists all webhooks with due deliveries, every 30 s. Each call resolves with the next page, or
 * with none while it is not due.
 */
export function createDueLister(db: Database): () => Promise<WebhookChannel[]> {
  let listedAt = -Infinity;
  let position: WebhookChannel | null = null;
  return async () => {
    if (performance.now() - listedAt < (position === null ? listEveryMs : pageEveryMs)) return [];
    listedAt = performance.now();
    const { due, next } = await listDueWebhooks(db, { limit: pageSize, after: position });
    position = next;
    return due;
  };
}
