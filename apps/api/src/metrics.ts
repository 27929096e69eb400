import { type Database, measureLag, requireWritable } from '@ringback/ledger';
import { Counter, createEventCounter, Histogram, type IngestedEvent, createRegistry } from '@ringback/process/metrics';
import { type Queues, registerQueueMetrics } from '@ringback/queue';
import { readVersion } from '@ringback/process';

type HttpRequest = { method: string; route: string; status: number; seconds: number };

/** The API's metrics at `/metrics`. All labels have a bounded number of values: no ids and no request paths. */
export type ApiMetrics = {
  /** Formats all metrics as text for Prometheus. */
  read(): Promise<{ type: string; text: string }>;
  recordRequest(request: HttpRequest): void;
  recordEvents(events: IngestedEvent[]): void;
};

export type ApiMetricsDeps = {
  db: Database;
  reservedDb: Database;
  queues: Pick<Queues, 'readHealth' | 'check'>;
};

export function createApiMetrics({ db, reservedDb, queues }: ApiMetricsDeps): ApiMetrics {
  const checkReady = () => Promise.all([requireWritable(reservedDb), queues.check()]);
  const registry = createRegistry({ version: readVersion(), checkReady, pools: [db.pool, reservedDb.pool] });
  registerQueueMetrics(registry, { queues, measureTableLag: () => measureLag(reservedDb) });
  const requests = new Counter({
    name: 'ringback_http_requests_total',
    help: 'Requests with a response, by method, route and status; the route is "none" if the request reached no route.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'ringback_http_request_duration_seconds',
    help: 'Time from the request to the end of the response, in seconds.',
    labelNames: ['method', 'route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  return {
    read: async () => ({ type: registry.contentType, text: await registry.metrics() }),
    recordRequest({ method, route, status, seconds }) {
      requests.inc({ method, route, status });
      durations.observe({ method, route }, seconds);
    },
    recordEvents: createEventCounter(registry),
  };
}
