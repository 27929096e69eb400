import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

type StubRequest = { method: string; url: string; headers: http.IncomingHttpHeaders; body: string };
/** A response, or what the server does instead: `reset` breaks the connection, `hang` never answers. */
export type StubAnswer =
  { status?: number; headers?: Record<string, string>; json?: unknown; text?: string } | 'reset' | 'truncate' | 'hang';

export const ok = (data: unknown, fields: object = {}): StubAnswer => ({
  json: { status: 'OK', code: 200, message: 'OK', data, ...fields },
});
export const failed = (code: number, status: string, headers: Record<string, string> = {}): StubAnswer => ({
  status: code,
  headers,
  json: { status, code, message: `${status}.` },
});

/** An HTTP server that gives the answers in turn, the last one again and again, and keeps the requests. */
export async function startStubServer(...answers: [StubAnswer, ...StubAnswer[]]) {
  const requests: StubRequest[] = [];
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { method = '', url = '', headers } = request;
    const answer = answers[Math.min(requests.push({ method, url, headers, body }), answers.length) - 1];
    if (answer === 'hang' || answer === undefined) return;
    if (answer === 'reset') return void request.socket.resetAndDestroy();
    if (answer === 'truncate') {
      response.writeHead(200, { 'content-length': 1_000 }).write('{');
      return void setImmediate(() => request.socket.destroy());
    }
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.text ?? JSON.stringify(answer.json));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.close();
    server.closeAllConnections();
    if (server.listening) await once(server, 'close');
  };
  return { requests, baseUrl: `${origin}/api/v2`, close };
}
export type StubServer = Awaited<ReturnType<typeof startStubServer>>;
