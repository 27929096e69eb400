import http from 'node:http';
import { createHealthCheck } from './create-measurement.js';

export type HealthDeps = {
  /** Resolves if the database and, where the process uses it, the queue engine respond. Rejects otherwise. */
  check(): Promise<unknown>;
  /** Why the process is not ready although `check` resolved; null if it is ready. */
  notReadyReason(): string | null;
  /** The metrics of the process, for Prometheus. */
  readMetrics(): Promise<{ type: string; text: string }>;
};

// A probe is one short request without a body. The connection of a slower client is closed after 5 s.
const limits = {
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};

/**
 * Creates the server of `/healthz` (the process responds), `/readyz` (`check` resolves, and there is no `notReadyReason`) and `/metrics`. The caller makes it listen.
 */
export function createHealthServer({ check, notReadyReason, readMetrics }: HealthDeps): http.Server {
  const serversRespond = createHealthCheck(check);
  return http.createServer(limits, (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    void handle(path, { serversRespond, notReadyReason, readMetrics }).then(({ status, type, text }) => {
      response.writeHead(status, { 'content-type': type });
      response.end(request.method === 'HEAD' ? undefined : text);
    });
  });
}

type HealthResponse = { status: number; type: string; text: string };

type Checks = Pick<HealthDeps, 'readMetrics' | 'notReadyReason'> & { serversRespond(): Promise<boolean> };

async function handle(path: string, { serversRespond, notReadyReason, readMetrics }: Checks): Promise<HealthResponse> {
  if (path === '/healthz') return respond(200, 'OK');
  if (path === '/metrics') return readMetrics().then((metrics) => ({ status: 200, ...metrics }), unavailable);
  if (path !== '/readyz') return respond(404, 'NotFound');
  if (!(await serversRespond())) return unavailable();
  const message = notReadyReason();
  return message === null ? respond(200, 'OK') : respond(503, 'ServiceUnavailable', message);
}

const unavailable = () => respond(503, 'ServiceUnavailable');

const respond = (code: number, name: string, message?: string): HealthResponse => ({
  status: code,
  type: 'application/json',
  text: JSON.stringify({ status: name, code, message }),
});
