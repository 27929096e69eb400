import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export type HealthDeps = {
  /**
   * Resolves if the database accepts writes and, where the process uses it, the queue engine responds. Otherwise it
   * rejects or stays pending; after 2 s, the process counts as not ready.
   */
  check(): Promise<unknown>;
  /** Why the process is not ready although `check` resolved; null if it is ready. */
  notReadyReason(): string | null;
  /** The metrics of the process, for Prometheus. */
  readMetrics(): Promise<{ type: string; text: string }>;
};

// A probe is one short request without a body. Slower requests, and idle connections, are ended after 5 to 6 s.
const serverOptions = {
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};

/**
 * Creates the server of `/healthz` (200 while the process responds), `/readyz` (200 if `check` resolves and
 * `notReadyReason` is null, else 503) and `/metrics`. The caller makes the server listen.
 */
export function createHealthServer({ check, notReadyReason, readMetrics }: HealthDeps): http.Server {
  const serversRespond = createHealthCheck(check);
  return http.createServer(serverOptions, (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    void handle(path, { serversRespond, notReadyReason, readMetrics }).then(({ status, type, text }) => {
      response.writeHead(status, { 'content-type': type });
      response.end(request.method === 'HEAD' ? undefined : text);
    });
  });
}

type HealthResponse = { status: number; type: string; text: string };

type HandlerDeps = Pick<HealthDeps, 'readMetrics' | 'notReadyReason'> & { serversRespond(): Promise<boolean> };

async function handle(
  path: string,
  { serversRespond, notReadyReason, readMetrics }: HandlerDeps,
): Promise<HealthResponse> {
  if (path === '/healthz') return createResponse(200, 'OK');
  if (path === '/metrics') return readMetrics().then((metrics) => ({ status: 200, ...metrics }), unavailable);
  if (path !== '/readyz') return createResponse(404, 'NotFound');
  if (!(await serversRespond())) return unavailable();
  const message = notReadyReason();
  return message === null ? createResponse(200, 'OK') : createResponse(503, 'ServiceUnavailable', message);
}

const unavailable = () => createResponse(503, 'ServiceUnavailable');

const createResponse = (code: number, status: string, message?: string): HealthResponse => ({
  status: code,
  type: 'application/json',
  text: JSON.stringify({ status, code, message }),
});

const timeoutMs = 2_000;
const cacheMs = 1_000;

/**
 * Wraps a measurement so that it starts at most once a second. Calls within a second after its start share its result.
 * The result is undefined if the measurement fails or takes longer than 2 s, so a scrape gets a response even while the
 * database is unavailable.
 */
export function createMeasurement<T>(measure: () => Promise<T>): () => Promise<T | undefined> {
  let latest: { result: Promise<T | undefined>; startedAtMonotonicMs: number } | undefined;
  return () => {
    if (latest && performance.now() - latest.startedAtMonotonicMs < cacheMs) return latest.result;
    const timeout = sleep(timeoutMs, undefined, { ref: false });
    const result = Promise.race([measure(), timeout]).catch(() => undefined);
    latest = { result, startedAtMonotonicMs: performance.now() };
    return result;
  };
}

const maxFailedRestMs = 30_000;

/**
 * Wraps a measurement that may become expensive, so that it runs for at most 1 % of the time, or after failures once in
 * 30 s. Until it runs again, calls get the last result.
 */
export function limitShare<T>(measure: () => Promise<T>, now = () => performance.now()): () => Promise<T> {
  let latest: Promise<T> | undefined;
  let nextAtMonotonicMs = -Infinity;
  return () => {
    const startedAtMonotonicMs = now();
    if (latest && startedAtMonotonicMs < nextAtMonotonicMs) return latest;
    nextAtMonotonicMs = Infinity;
    const rest = (maxMs: number) => {
      const endedAtMonotonicMs = now();
      nextAtMonotonicMs = endedAtMonotonicMs + Math.min(maxMs, 100 * (endedAtMonotonicMs - startedAtMonotonicMs));
    };
    latest = measure();
    latest.then(
      () => rest(Infinity),
      () => rest(maxFailedRestMs),
    );
    return latest;
  };
}

/**
 * Wraps a check so that it starts at most once a second, as `createMeasurement` does. The result is true if the check
 * resolves, and false if it rejects or takes longer than 2 s.
 */
export function createHealthCheck(check: () => Promise<unknown>): () => Promise<boolean> {
  const measure = createMeasurement(() => check().then(() => true));
  return async () => (await measure()) ?? false;
}
