import type { Readable } from 'node:stream';

const maxReadBytes = 64 * 1024;

/** A response body that is being read. `text` returns what was kept so far. */
export type ResponseBody = { text(): string };

/**
 * Reads the body of a response, at most 64 KiB, and keeps the first `keepBytes`. `done` is called at the end or at the
 * limit. NUL, which PostgreSQL cannot store, becomes the replacement character.
 */
export function readBody(stream: Readable, keepBytes: number, done: () => void): ResponseBody {
  const kept: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    if (bytes < keepBytes) kept.push(chunk.subarray(0, keepBytes - bytes));
    bytes += chunk.length;
    if (bytes > maxReadBytes) done();
  });
  stream.on('end', done);
  return { text: () => Buffer.concat(kept).toString('utf8').replaceAll('\0', '\ufffd') };
}
