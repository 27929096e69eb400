// The receiver of a benchmark, a process of its own: answers 200, and notes when which message came.
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the benchmark asks of it. */
export type Request =
  { type: 'report' } | { type: 'reset' } | { type: 'behave'; hang: string[]; fail: 'none' | 'first' | 'all' };
/** What it answers with: the ids of messages in the order in which they came, and when, in ms since 1970. */
export type Report = { type: 'report'; ids: string[]; times: number[] };
export type Ready = { type: 'ready'; port: number };

let ids: string[] = [];
let times: number[] = [];
let hanging = new Set<string>();
let failing: 'none' | 'first' | 'all' = 'none';
const messageId = /"id":"([^"]+)"/;

const server = http.createServer((request, response) => {
  const at = performance.timeOrigin + performance.now();
  const { url = '', headers } = request;
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (hanging.has(url.split('?', 1)[0] ?? '')) return;
    const fails = failing === 'all' || (failing === 'first' && headers['x-ringback-attempt'] === '1');
    if (!fails) {
      ids.push(messageId.exec(Buffer.concat(chunks).toString())?.[1] ?? url);
      times.push(at);
    }
    response.writeHead(fails ? 500 : 200, { 'content-length': '0' });
    response.end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ type: 'ready', port } satisfies Ready);
});

process.on('message', (message: Request) => {
  if (message.type === 'report') process.send?.({ type: 'report', ids, times } satisfies Report);
  if (message.type === 'behave') [hanging, failing] = [new Set(message.hang), message.fail];
  if (message.type === 'reset') [ids, times] = [[], []];
});
process.on('disconnect', () => process.exit(0));
