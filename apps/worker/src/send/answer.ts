import type { Readable } from 'node:stream';

const readAtMost = 64 * 1024;

export type Answer = { text(): string };

/**
 * Reads the body of a response: at most 64 KiB, of which `keepBytes` are kept. `done` is called at its end or at the
 * bound. NUL, which the database takes in no text, becomes the replacement character.
 */
export function collect(stream: Readable, keepBytes: number, done: () => void): Answer {
  const kept: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    if (bytes < keepBytes) kept.push(chunk.subarray(0, keepBytes - bytes));
    bytes += chunk.length;
    if (bytes > readAtMost) done();
  });
  stream.on('end', done);
  return { text: () => Buffer.concat(kept).toString('utf8').replaceAll('\0', '\ufffd') };
}
