import { z } from 'zod';
import { restoreRequest, type SentRequest } from '@ringback/rules';
import { type Database, findDelivery, listDeliveries, type PageCursor } from '@ringback/ledger';
import { requireRingback } from '@ringback/process/command-line';
import { errorFields, OperatorError } from '@ringback/process';

/** A delivery in the log of an account. */
export type LogEntry = {
  id: string;
  eventName: string;
  attemptCount: number;
  state: string;
  reason: string | null;
  createdAt: Date;
};

/** A request whose headers and body were stored. */
export type StoredRequest = SentRequest & { headers: Record<string, string>; body: string };

const isStored = (request: SentRequest): request is StoredRequest => request.headers !== null && request.body !== null;

/** The delivery log of one account. */
export type DeliveryLog = {
  /** Lists the deliveries created since a time, newest first. Without a time it lists the newest page. */
  list(since: Date | null): Promise<LogEntry[]>;
  /** The request of a delivery's newest attempt. Null without an attempt, or if its request was not stored. */
  findLastRequest(id: string): Promise<StoredRequest | null>;
};

const perPage = 100;

/** Creates a delivery log that reads the database. */
export function createDatabaseDeliveryLog(db: Database, accountId: string, webhookId: string | undefined): DeliveryLog {
  return {
    async list(since) {
      const entries: LogEntry[] = [];
      let cursor: PageCursor | null = null;
      do {
        const filter = { webhookId, since: since ?? undefined };
        const page = await listDeliveries(db, accountId, { filter, cursor, perPage });
        entries.push(...page.deliveries);
        // Without a time, only the newest page is listed.
        cursor = since === null ? null : page.older;
      } while (cursor !== null);
      return entries;
    },
    async findLastRequest(id) {
      const delivery = await findDelivery(db, accountId, id);
      const attempt = delivery?.attempts.at(-1);
      if (!delivery || !attempt) return null;
      const request = restoreRequest(delivery, attempt);
      return isStored(request) ? request : null;
    },
  };
}

const pageSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      event: z.string(),
      attempt_count: z.number(),
      state: z.string(),
      reason: z.string().nullable(),
      created_at: z.string(),
    }),
  ),
  meta: z.object({ next_cursor: z.string().nullable() }),
});

const requestSchema = z.object({
  method: z.literal('POST'),
  url: z.string(),
  headers: z.record(z.string(), z.string()).nullable(),
  body: z.string().nullable(),
});
const detailSchema = z.object({ data: z.object({ attempts: z.array(z.object({ request: requestSchema })) }) });

const requestTimeoutMs = 30_000;

/**
 * Creates a function that reads JSON from the API. Before the first request, and again after a failed one, it checks
 * that the server is Ringback, so that the access token is not sent to another program. Throws an OperatorError if
 * there is no successful response; for a 404 its message is `notFound`, if that is given.
 */
function createJsonReader(baseUrl: string, token: string): (path: string, notFound?: string) => Promise<unknown> {
  let isChecked = false;
  return async (path, notFound) => {
    if (!isChecked) await requireRingback(baseUrl);
    isChecked = false;
    const headers = { authorization: `Bearer ${token}` };
    const options = { headers, redirect: 'manual', signal: AbortSignal.timeout(requestTimeoutMs) } as const;
    const response = await fetch(`${baseUrl}${path}`, options).catch((error: unknown) => {
      throw new OperatorError(`${baseUrl} cannot be reached (${errorFields(error).error})`);
    });
    if (response.status === 404 && notFound !== undefined) throw new OperatorError(notFound);
    if (!response.ok) throw new OperatorError(`${baseUrl} responded with ${response.status}`);
    const body: unknown = await response.json();
    isChecked = true;
    return body;
  };
}

/** Creates a delivery log that reads the management API with an access token. `baseUrl` must not end with a slash. */
export function createApiDeliveryLog(baseUrl: string, token: string, webhookId: string | undefined): DeliveryLog {
  const readJson = createJsonReader(baseUrl, token);
  return {
    async list(since) {
      // The first call has no time, so an unknown webhook is reported at the start and checked once.
      if (webhookId !== undefined && since === null) {
        await readJson(`/developer/webhooks/${webhookId}`, `--webhook: there is no webhook ${webhookId}`);
      }
      const entries: LogEntry[] = [];
      const filter = {
        ...(since === null ? {} : { 'filter[since]': since.toISOString() }),
        ...(webhookId === undefined ? {} : { 'filter[webhook_id]': webhookId }),
      };
      let cursor: string | null = null;
      do {
        const query = { ...filter, per_page: String(perPage), ...(cursor === null ? {} : { cursor }) };
        const { data, meta } = pageSchema.parse(await readJson(`/developer/deliveries?${new URLSearchParams(query)}`));
        entries.push(...data.map(toEntry));
        cursor = since === null ? null : meta.next_cursor;
      } while (cursor !== null);
      return entries;
    },
    async findLastRequest(id) {
      const { data } = detailSchema.parse(await readJson(`/developer/deliveries/${id}`));
      const request = data.attempts.at(-1)?.request;
      return request && isStored(request) ? request : null;
    },
  };
}

const toEntry = ({
  id,
  event,
  attempt_count,
  state,
  reason,
  created_at,
}: z.infer<typeof pageSchema>['data'][number]) => ({
  id,
  eventName: event,
  attemptCount: attempt_count,
  state,
  reason,
  createdAt: new Date(created_at),
});
