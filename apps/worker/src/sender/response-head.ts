import type { Socket } from 'node:net';

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
 * The status of the response that is arriving, for one whose headers Node's parser refuses: too large, folded, with bare
 * line feeds, with its length twice. Null if it is not in the first bytes, or if the headers contradict each other about
 * the length of the body, since nobody can tell then where the response ends.
 *
 * The parser stays strict, and ends the connection. Its lenient mode (`insecureHTTPParser`) would refuse a repeated
 * length all the same, accept a `Content-Length` beside a `Transfer-Encoding`, and keep the connection for a next request.
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
