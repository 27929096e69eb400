import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';

const maxReadBytes = 64 * 1024;
const maxGzipBytes = 8 * 1024;
const maxUnpackedBytes = 64 * 1024;

/** A response body that is being read. `text` returns what has been kept so far. */
export type ResponseBody = { text(): string };

/**
 * Reads the body of a response and keeps the first `keepBytes`. `done` is called at the end, and with each chunk after
 * which more than 64 KiB have arrived. NUL, which PostgreSQL cannot store, becomes the replacement character.
 *
 * No request asks for compression, but some servers compress all the same. A body in gzip is unpacked if it is whole,
 * has at most 8 KiB, and unpacks to at most 64 KiB.
 */
export function readBody(
  stream: Readable,
  { headers, keepBytes }: { headers: IncomingHttpHeaders; keepBytes: number },
  done: () => void,
): ResponseBody {
  const isGzip = /^\s*(x-)?gzip\s*$/i.test(headers['content-encoding'] ?? '');
  const maxKeptBytes = isGzip ? Math.max(keepBytes, maxGzipBytes) : keepBytes;
  const kept: Buffer[] = [];
  let readBytes = 0;
  stream.on('data', (chunk: Buffer) => {
    if (readBytes < maxKeptBytes) kept.push(chunk.subarray(0, maxKeptBytes - readBytes));
    readBytes += chunk.length;
    if (readBytes > maxReadBytes) done();
  });
  stream.on('end', done);
  const text = () => {
    const received = Buffer.concat(kept);
    const plain = isGzip && readBytes <= maxGzipBytes ? unpack(received) : received;
    return plain.subarray(0, keepBytes).toString('utf8').replaceAll('\0', '\ufffd');
  };
  return { text };
}

/** The unpacked bytes, or the same bytes if they are not whole, are no gzip, or unpack to more than 64 KiB. */
function unpack(packed: Buffer): Buffer {
  try {
    return gunzipSync(packed, { maxOutputLength: maxUnpackedBytes });
  } catch {
    return packed;
  }
}

const maxKeptHeaders = 32;
const maxKeptCharacters = 2_048;

/**
 * The first headers of a response: at most 32, with at most 2,048 characters of names and values. The last value may be
 * truncated.
 */
export function keepHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  let charactersLeft = maxKeptCharacters;
  const kept: [string, string][] = [];
  for (const [name, value = ''] of Object.entries(headers).slice(0, maxKeptHeaders)) {
    const whole = Array.isArray(value) ? value.map(decodeHeader).join(', ') : decodeHeader(value);
    const text = whole.slice(0, Math.max(0, charactersLeft - name.length)).toWellFormed();
    charactersLeft -= name.length + text.length;
    if (charactersLeft < 0) break;
    kept.push([name, text]);
  }
  return Object.fromEntries(kept);
}

/** Node reads the bytes of a header as Latin-1, but most servers that send others than ASCII write UTF-8. */
function decodeHeader(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

const maxHeadBytes = 8 * 1024;

// The first bytes of the responses that are arriving.
const heads = new WeakMap<Socket, Buffer>();

/** Keeps the first bytes of the response that is arriving on a connection. */
export function keepHead(socket: Socket, chunk: Buffer): void {
  const head = heads.get(socket);
  if (!head) heads.set(socket, chunk);
  else if (head.length < maxHeadBytes) heads.set(socket, Buffer.concat([head, chunk]));
}

/** Forgets them when the response is complete. */
export const forgetHead = (socket: Socket): void => void heads.delete(socket);

const interimResponse = /^HTTP\/1\.[01] 1\d\d[^]*?\n\r?\n/;

/**
 * The status of the response that is arriving, for one whose headers Node's parser refuses: too large, folded, with
 * bare line feeds, with its length twice. Null if it is not in the first bytes, or if the headers contradict each other
 * about the length of the body, since nobody can tell then where the response ends.
 *
 * The parser stays strict, and ends the connection. Its lenient mode (`insecureHTTPParser`) would refuse a repeated
 * length all the same, accept a `Content-Length` beside a `Transfer-Encoding`, and keep the connection for a next
 * request.
 */
export function readHeadStatus(socket: Socket): number | null {
  let text = heads.get(socket)?.toString('latin1') ?? '';
  while (interimResponse.test(text)) text = text.replace(interimResponse, '');
  const status = /^HTTP\/1\.[01] ([2-9]\d\d)\b/.exec(text)?.[1];
  return status === undefined || hasContradictoryLengths(text) ? null : Number(status);
}

function hasContradictoryLengths(text: string): boolean {
  const [head = ''] = text.split(/\n\r?\n/, 1);
  // A line continues on the next one that begins with white space.
  const lines = head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
  const valuesOf = (name: RegExp) =>
    lines.filter((line) => name.test(line)).flatMap((line) => line.slice(line.indexOf(':') + 1).split(','));
  const lengths = valuesOf(/^content-length:/i).map((value) => value.trim());
  // The last line may have arrived in part.
  const different = new Set(lengths.filter((length) => length !== ''));
  return different.size > 1 || (different.size === 1 && valuesOf(/^transfer-encoding:/i).length > 0);
}
