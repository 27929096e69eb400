import { type Database, pingDatabase } from '@ringback/database';
import { Counter, countEvents, Histogram, measureQueues, openRegistry } from '@ringback/metrics';
import type { Queues } from '@ringback/queue';
import { readVersion } from '@ringback/runtime';

type Requested = { method: string; route: string; status: number; seconds: number };

/** What the API tells of itself at `/metrics`. Labels are few and known before: no ids, no paths as they were asked. */
export type ApiMetrics = {
  /** Everything, as text for Prometheus. */
  read(): Promise<{ type: string; text: string }>;
  requested(request: Requested): void;
  eventsTaken(events: { state: 'routed' | 'unrouted' | 'rejected' }[]): void;
};

export type ApiMetricsDeps = {
  db: Database;
  reservedDb: Database;
  queues: Pick<Queues, 'depths' | 'oldestWaiting' | 'ping'>;
};

export function openApiMetrics({ db, reservedDb, queues }: ApiMetricsDeps): ApiMetrics {
  const checkReady = () => Promise.all([pingDatabase(reservedDb), queues.ping()]);
  const registry = openRegistry({ version: readVersion(), checkReady, pools: [db.pool, reservedDb.pool] });
  measureQueues(registry, { db: reservedDb, queues });
  const requests = new Counter({
    name: 'ringback_http_requests_total',
    help: 'Requests, by route and status; the route is "none" when the request never reached one.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'ringback_http_request_duration_seconds',
    help: 'From the request to the end of its answer.',
    labelNames: ['method', 'route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  return {
    read: async () => ({ type: registry.contentType, text: await registry.metrics() }),
    requested({ method, route, status, seconds }) {
      requests.inc({ method, route, status });
      durations.observe({ method, route }, seconds);
    },
    eventsTaken: countEvents(registry),
  };
}
