import { z } from 'zod';
import { plainBody, expandHeaders } from '@ringback/callbacks';
import { type Database, findDelivery, listDeliveryLog, type LogCursor } from '@ringback/database';
import { errorFields, requireRingback, StartError } from '@ringback/runtime';

/** A delivery of the log; `attempts` says how many were made. */
export type LogEntry = { id: string; event: string; attempts: number; state: string; reason: string | null; at: Date };

/** A callback as it was sent, its token masked. */
export type SentCallback = { url: string; headers: Record<string, string>; body: string };

/** The log of one account, for whoever follows it. */
export type FollowedLog = {
  /** The deliveries that were made since then, or the newest ones; newest first. */
  list(since: Date | null): Promise<LogEntry[]>;
  /** The newest request of a delivery; null when there is none, or none was kept. */
  findSent(id: string): Promise<SentCallback | null>;
};

const perPage = 100;

/** Straight from the database. */
export function databaseLog(db: Database, accountId: string, webhookId: string | undefined): FollowedLog {
  return {
    async list(since) {
      const entries: LogEntry[] = [];
      let cursor: LogCursor | null = null;
      do {
        const filter = { webhookId, since: since ?? undefined };
        const page = await listDeliveryLog(db, accountId, { filter, cursor, perPage });
        entries.push(...page.deliveries.map((delivery) => ({ ...delivery, at: delivery.createdAt })));
        cursor = since && page.older;
      } while (cursor !== null);
      return entries;
    },
    async findSent(id) {
      const delivery = await findDelivery(db, accountId, id);
      const attempt = delivery?.made.at(-1);
      const kept = keptSchema.safeParse(attempt?.requestHeaders);
      if (!delivery || !attempt || !kept.success) return null;
      const body = attempt.requestBody ?? plainBody(delivery.event, delivery.payload);
      const input = { ...delivery, deliveryId: id, attempt: attempt.number, body };
      return { url: attempt.url, headers: expandHeaders(kept.data, input), body };
    },
  };
}

const keptSchema = z.record(z.string(), z.string().nullable());

const pageSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      event: z.string(),
      attempt_count: z.number(),
      status: z.string(),
      reason: z.string().nullable(),
      created_at: z.string(),
    }),
  ),
  meta: z.object({ next_cursor: z.string().nullable() }),
});

const requestSchema = z.object({
  url: z.string(),
  headers: z.record(z.string(), z.string()).nullable(),
  body: z.string().nullable(),
});
const detailSchema = z.object({ data: z.object({ attempts: z.array(z.object({ request: requestSchema })) }) });

const timeoutMs = 30_000;

/** Calls with an access token. Who answers is asked before the first call, and again after one that had no answer. */
function openGet(baseUrl: string, token: string): (path: string, notFound?: string) => Promise<unknown> {
  let isKnown = false;
  return async (path, notFound) => {
    if (!isKnown) await requireRingback(baseUrl);
    isKnown = false;
    const headers = { authorization: `Bearer ${token}` };
    const options = { headers, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) } as const;
    const response = await fetch(`${baseUrl}${path}`, options).catch((error: unknown) => {
      throw new StartError(`${baseUrl} cannot be reached (${errorFields(error).error})`);
    });
    if (response.status === 404 && notFound !== undefined) throw new StartError(notFound);
    if (!response.ok) throw new StartError(`${baseUrl} answered ${response.status}`);
    const body: unknown = await response.json();
    isKnown = true;
    return body;
  };
}

/** Over the management API, for whoever has an access token and nothing else. `baseUrl` has no slash at its end. */
export function apiLog(baseUrl: string, token: string, webhookId: string | undefined): FollowedLog {
  const get = openGet(baseUrl, token);
  return {
    async list(since) {
      if (webhookId !== undefined && since === null) {
        await get(`/developer/webhooks/${webhookId}`, `--webhook: there is no webhook ${webhookId}`);
      }
      const entries: LogEntry[] = [];
      const filter = {
        ...(since === null ? {} : { 'filter[since]': since.toISOString() }),
        ...(webhookId === undefined ? {} : { 'filter[webhook_id]': webhookId }),
      };
      let cursor: string | null = null;
      do {
        const query = { ...filter, per_page: String(perPage), ...(cursor === null ? {} : { cursor }) };
        const { data, meta } = pageSchema.parse(await get(`/developer/deliveries?${new URLSearchParams(query)}`));
        entries.push(...data.map(entryOf));
        cursor = since && meta.next_cursor;
      } while (cursor !== null);
      return entries;
    },
    async findSent(id) {
      const { data } = detailSchema.parse(await get(`/developer/deliveries/${id}`));
      const request = data.attempts.at(-1)?.request;
      if (!request || request.headers === null || request.body === null) return null;
      return { url: request.url, headers: request.headers, body: request.body };
    },
  };
}

const entryOf = ({
  id,
  event,
  attempt_count,
  status,
  reason,
  created_at,
}: z.infer<typeof pageSchema>['data'][number]) => ({
  id,
  event,
  attempts: attempt_count,
  state: status,
  reason,
  at: new Date(created_at),
});
