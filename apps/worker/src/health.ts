import http from 'node:http';

/** Serves `/healthz` (the process answers) and `/readyz` (what it needs answers: `check` resolves). */
export function openHealthServer(check: () => Promise<unknown>): http.Server {
  return http.createServer((request, response) => {
    void answer(request.url ?? '', check).then(([status, text]) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ status: text, code: status }));
    });
  });
}

async function answer(url: string, check: () => Promise<unknown>): Promise<[number, string]> {
  if (url === '/healthz') return [200, 'OK'];
  if (url !== '/readyz') return [404, 'NotFound'];
  return check().then(
    () => [200, 'OK'],
    () => [503, 'ServiceUnavailable'],
  );
}
