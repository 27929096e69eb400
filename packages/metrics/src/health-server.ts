import http from 'node:http';
import { createHealthCheck } from './create-measurement.js';

export type HealthDeps = {
  /** Resolves if the servers that the process needs respond, and rejects otherwise. */
  check(): Promise<unknown>;
  /** Why the process ingests no events although the servers respond; null if it does. */
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
 * Creates the server of `/healthz` (the process responds), `/readyz` (the servers that it needs respond, and it ingests
 * events) and `/metrics`. The caller makes it listen.
 */
export function createHealthServer({ check, notReadyReason, readMetrics }: HealthDeps): http.Server {
  const isReady = createHealthCheck(check);
  return http.createServer(limits, (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    void handle(path, { isReady, notReadyReason, readMetrics }).then(({ status, type, text }) => {
      response.writeHead(status, { 'content-type': type });
      response.end(request.method === 'HEAD' ? undefined : text);
    });
  });
}

type HealthResponse = { status: number; type: string; text: string };

type Readers = Pick<HealthDeps, 'readMetrics' | 'notReadyReason'> & { isReady(): Promise<boolean> };

async function handle(path: string, { isReady, notReadyReason, readMetrics }: Readers): Promise<HealthResponse> {
  if (path === '/healthz') return respond(200, 'OK');
  if (path === '/metrics') return readMetrics().then((metrics) => ({ status: 200, ...metrics }), unavailable);
  if (path !== '/readyz') return respond(404, 'NotFound');
  if (!(await isReady())) return unavailable();
  const message = notReadyReason();
  return message === null ? respond(200, 'OK') : respond(503, 'ServiceUnavailable', message);
}

const unavailable = () => respond(503, 'ServiceUnavailable');

const respond = (code: number, status: string, message?: string): HealthResponse => ({
  status: code,
  type: 'application/json',
  text: JSON.stringify({ status, code, message }),
});
