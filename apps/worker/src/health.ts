import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const patienceMs = 3_000;

export type HealthDeps = {
  /** Resolves when what the worker needs answers. */
  check(): Promise<unknown>;
  /** What it tells of itself, for Prometheus. */
  readMetrics(): Promise<{ type: string; text: string }>;
};

/** Serves `/healthz` (the process answers), `/readyz` (what it needs answers, too) and `/metrics`. */
export function openHealthServer(deps: HealthDeps): http.Server {
  return http.createServer((request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    void answer(path, deps).then(({ status, type, text }) => {
      response.writeHead(status, { 'content-type': type });
      response.end(request.method === 'HEAD' ? undefined : text);
    });
  });
}

type Answer = { status: number; type: string; text: string };

async function answer(path: string, { check, readMetrics }: HealthDeps): Promise<Answer> {
  if (path === '/healthz') return say(200, 'OK');
  if (path === '/metrics') return readMetrics().then((told) => ({ status: 200, ...told }), unavailable);
  if (path !== '/readyz') return say(404, 'NotFound');
  // A database that is frozen answers nothing at all.
  const late = sleep(patienceMs, undefined, { ref: false }).then(unavailable);
  return Promise.race([check().then(() => say(200, 'OK'), unavailable), late]);
}

const unavailable = () => say(503, 'ServiceUnavailable');

const say = (code: number, status: string): Answer => ({
  status: code,
  type: 'application/json',
  text: JSON.stringify({ status, code }),
});
