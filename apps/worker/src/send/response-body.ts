import type { Readable } from 'node:stream';

const maxReadBytes = 64 * 1024;

/** A response body that is being read. `text` returns what has been kept so far. */
export type ResponseBody = { text(): string };

/**
 * Reads the body of a response and keeps the first `keepBytes`. `done` is called at the end, and with each chunk after
 * which more than 64 KiB have arrived. NUL, which PostgreSQL cannot store, becomes the replacement character.
 */
export function readBody(stream: Readable, keepBytes: number, done: () => void): ResponseBody {
  const kept: Buffer[] = [];
  let readBytes = 0;
  stream.on('data', (chunk: Buffer) => {
    if (readBytes < keepBytes) kept.push(chunk.subarray(0, keepBytes - readBytes));
    readBytes += chunk.length;
    if (readBytes > maxReadBytes) done();
  });
  stream.on('end', done);
  return { text: () => Buffer.concat(kept).toString('utf8').replaceAll('\0', '\ufffd') };
}
