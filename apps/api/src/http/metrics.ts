import type { Request, RequestHandler, Response } from 'express';
import { type Database, measureLag, measurePartitionsAhead, requireWritable, SnapshotWatch } from '@ringback/ledger';
import { readVersion } from '@ringback/process';
import {
  Counter,
  createEventCounters,
  createRegistry,
  type EventCounters,
  Histogram,
  registerDatabaseGauges,
} from '@ringback/process/metrics';
import { type Queues, registerQueueMetrics } from '@ringback/queue';

export type ApiMetricsDeps = {
  db: Database;
  reservedDb: Database;
  bulkDb: Database;
  queues: Pick<Queues, 'readHealth' | 'check'>;
};

/** The API's metrics at `/metrics`. All labels have a bounded number of values: no ids and no request paths. */
export class ApiMetrics {
  readonly #registry;
  readonly #requests;
  readonly #durations;
  readonly #waitedMs = new WeakMap<Response, number>();
  /** The events that this process ingested. */
  readonly events: EventCounters;

  constructor({ db, reservedDb, bulkDb, queues }: ApiMetricsDeps) {
    const checkReady = () => Promise.all([requireWritable(reservedDb), queues.check()]);
    this.#registry = createRegistry({
      version: readVersion(),
      checkReady,
      pools: [db.pool, reservedDb.pool, bulkDb.pool],
    });
    registerQueueMetrics(this.#registry, { queues, measureTableLag: () => measureLag(reservedDb) });
    const snapshots = new SnapshotWatch();
    registerDatabaseGauges(this.#registry, {
      oldestTransaction: () => snapshots.measure(reservedDb),
      partitionsAhead: () => measurePartitionsAhead(reservedDb),
    });
    this.events = createEventCounters(this.#registry);
    this.#requests = new Counter({
      name: 'ringback_http_requests_total',
      help: 'Requests with a response, by method, route and status; the route is "none" if the request reached no route.',
      labelNames: ['method', 'route', 'status'],
      registers: [this.#registry],
    });
    this.#durations = new Histogram({
      name: 'ringback_http_request_duration_seconds',
      help: 'Time from the request to the end of the response, in seconds, without the wait that a request asks for.',
      labelNames: ['method', 'route'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers: [this.#registry],
    });
  }

  /** Formats all metrics as text for Prometheus. */
  async read(): Promise<{ type: string; text: string }> {
    return { type: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  /** Waits as the client asked for, with `wait`. The duration of the request leaves this time out. */
  async duringWait<T>(response: Response, wait: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await wait();
    } finally {
      this.#waitedMs.set(response, (this.#waitedMs.get(response) ?? 0) + performance.now() - startedAt);
    }
  }

  /** Counts each request that gets a response by its route, method and status, and measures its duration. */
  readonly recordRequest: RequestHandler = (request, response, next) => {
    const startedAt = performance.now();
    response.on('finish', () => {
      const method = knownMethods.has(request.method) ? request.method : 'other';
      const route = routeOf(request);
      this.#requests.inc({ method, route, status: response.statusCode });
      const durationMs = performance.now() - startedAt - (this.#waitedMs.get(response) ?? 0);
      this.#durations.observe({ method, route }, durationMs / 1_000);
    });
    next();
  };
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The pattern of the route that the request reached. A request that was refused earlier may have reached none. */
function routeOf({ route }: Request): string {
  const path: unknown = typeof route === 'object' && route !== null ? Reflect.get(route, 'path') : undefined;
  return typeof path === 'string' ? path : 'none';
}
