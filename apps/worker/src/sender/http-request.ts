import http from 'node:http';
import https from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Agents } from './connections.js';

export type OutgoingRequest = { url: string; headers: Record<string, string>; body: Buffer };

/** The headers of a response may have 64 KiB in all. Of larger ones, only the status counts. */
const maxHeaderSize = 64 * 1024;

/**
 * Opens the request of a callback. It is what the attempt shows: the target of the url, and the names of the headers in
 * their own case, which got would send in lower case. `Host` and SNI never end with a dot, which many servers do not
 * know.
 */
export function openRequest(url: URL, { headers, body }: OutgoingRequest, agents: Agents): http.ClientRequest {
  const { href, hostname, port } = url;
  const isHttps = url.protocol === 'https:';
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  const [target = ''] = href.slice(href.indexOf('/', url.protocol.length + 2)).split('#', 1);
  // Node sends an array as it is. For an object it would build a map of the headers first.
  const sentHeaders = ['Host', port === '' ? name : `${name}:${port}`];
  for (const header in headers) sentHeaders.push(header, headers[header] ?? '');
  // Without it, the body would be sent in chunks.
  if (!headers['Content-Length']) sentHeaders.push('Content-Length', String(body.byteLength));
  const options = { method: 'POST', host, path: target, headers: sentHeaders, maxHeaderSize };
  if (!isHttps) return http.request({ ...options, port: port || 80, agent: agents.http });
  // An address is no name for SNI.
  const servername = isIP(host) === 0 ? name : '';
  return https.request({ ...options, port: port || 443, agent: agents.https, servername });
}

const maxHeadBytes = 8 * 1024;

// Of the connections on which a response arrives.
const heads = new WeakMap<Socket, Buffer>();

/** Keeps the first bytes of the response that a connection receives, until the response ends (`forgetHead`). */
export function keepHead(socket: Socket, chunk: Buffer): void {
  const head = heads.get(socket);
  if (!head) heads.set(socket, chunk);
  else if (head.length < maxHeadBytes) heads.set(socket, Buffer.concat([head, chunk]));
}

export const forgetHead = (socket: Socket): unknown => heads.delete(socket);

const interimResponse = /^HTTP\/1\.[01] 1\d\d[^]*?\r\n\r\n/;

/** The status of a response whose headers were too large for Node's parser; null if it is not in the first bytes. */
export function readHeadStatus(socket: Socket): number | null {
  let text = heads.get(socket)?.toString('latin1') ?? '';
  while (interimResponse.test(text)) text = text.replace(interimResponse, '');
  const status = /^HTTP\/1\.[01] ([2-9]\d\d)\b/.exec(text)?.[1];
  return status === undefined ? null : Number(status);
}
