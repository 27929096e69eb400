import http from 'node:http';
import { createHealthCheck } from '@ringback/metrics';

export type HealthDeps = {
  /** Resolves when what the worker needs answers. */
  check(): Promise<unknown>;
  /** Why an ingress queue stands still; null when none does. */
  standstill(): string | null;
  /** What it tells of itself, for Prometheus. */
  readMetrics(): Promise<{ type: string; text: string }>;
};

// A probe has no body and comes at once; what is slower holds a connection no longer than this.
const limits = {
  ...{ headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 5_000 },
  connectionsCheckingInterval: 1_000,
};

/** Serves `/healthz` (the process answers), `/readyz` (what it needs answers, too, and its ingress queues move on) and `/metrics`. */
export function openHealthServer({ check, standstill, readMetrics }: HealthDeps): http.Server {
  const isReady = createHealthCheck(check);
  return http.createServer(limits, (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    void answer(path, { isReady, standstill, readMetrics }).then(({ status, type, text }) => {
      response.writeHead(status, { 'content-type': type });
      response.end(request.method === 'HEAD' ? undefined : text);
    });
  });
}

type Answer = { status: number; type: string; text: string };

type Answering = Pick<HealthDeps, 'readMetrics' | 'standstill'> & { isReady(): Promise<boolean> };

async function answer(path: string, { isReady, standstill, readMetrics }: Answering): Promise<Answer> {
  if (path === '/healthz') return say(200, 'OK');
  if (path === '/metrics') return readMetrics().then((told) => ({ status: 200, ...told }), unavailable);
  if (path !== '/readyz') return say(404, 'NotFound');
  if (!(await isReady())) return unavailable();
  const message = standstill();
  return message === null ? say(200, 'OK') : say(503, 'ServiceUnavailable', message);
}

const unavailable = () => say(503, 'ServiceUnavailable');

const say = (code: number, status: string, message?: string): Answer => ({
  status: code,
  type: 'application/json',
  text: JSON.stringify({ status, code, message }),
});
