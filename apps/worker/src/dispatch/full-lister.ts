import { type Database, listDueWebhooks, type WebhookChannel } from '@ringback/ledger';

const listEveryMs = 30_000;
const pageEveryMs = 100;
const pageSize = 500;

/**
 * Returns a function that reads the full list of webhooks with due deliveries in pages, at least 100 ms apart. The list
 * starts again 30 s after its last page. A call resolves with the next page, or with an empty list while it is too
 * early for one.
 */
export function createFullLister(db: Database): () => Promise<WebhookChannel[]> {
  let listedAtMonotonicMs = -Infinity;
  let position: WebhookChannel | null = null;
  return async () => {
    const waitMs = position === null ? listEveryMs : pageEveryMs;
    if (performance.now() - listedAtMonotonicMs < waitMs) return [];
    listedAtMonotonicMs = performance.now();
    const { due, next } = await listDueWebhooks(db, { limit: pageSize, after: position });
    position = next;
    return due;
  };
}
