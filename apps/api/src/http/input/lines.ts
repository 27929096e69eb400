import { isUtf8 } from 'node:buffer';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Readable, Transform } from 'node:stream';
import type { Request } from 'express';
import { ApiError } from '../output/api-error.js';

/**
 * A line of a body, counted from 1. `text` is absent if the line is too long or not UTF-8, and `problem` says so. With
 * `isRefused`, the body is over a limit: this line and those after it are not read.
 */
export type Line = { number: number } & ({ text: string } | { problem: string; isRefused: boolean });

export type LineLimits = { maxLines: number; maxLineBytes: number; maxBytes: number };

/**
 * Reads a body line by line, without blank lines, and decompresses it. Yields the lines that have arrived together. It
 * reads no further while the caller works on them, and holds no more than one line and a piece of the next in memory.
 * After the last line that the limits allow, it yields one with `isRefused`, and lets the rest of the body pass unread.
 * Throws a 415 for an unknown content encoding, and a 400 for a body that does not match its own.
 */
export async function* readLines(
  request: Request,
  { maxLines, maxLineBytes, maxBytes }: LineLimits,
): AsyncGenerator<Line[]> {
  const body = decompress(request);
  const collector = createLineCollector(maxLineBytes);
  let [lineCount, byteCount] = [0, 0];
  try {
    for await (const chunk of withEnd(body, { isCompressed: body !== request })) {
      byteCount += chunk?.length ?? 0;
      const lines = chunk === null ? collector.end() : collector.add(chunk);
      const refused = lines[maxLines - lineCount];
      if (refused) {
        const problem = `A request may have at most ${maxLines} lines. This one and those after it were not read.`;
        return yield [...lines.slice(0, maxLines - lineCount), { number: refused.number, problem, isRefused: true }];
      }
      if (byteCount > maxBytes) {
        const problem = `A request may have at most ${maxBytes} bytes. This line and those after it were not read.`;
        return yield [...lines, { number: collector.nextNumber(), problem, isRefused: true }];
      }
      lineCount += lines.length;
      if (lines.length > 0) yield lines;
    }
  } finally {
    // The rest of the body, if any, must pass before the connection can be used again.
    request.unpipe();
    request.resume();
  }
}

/** The chunks of a stream, and then null. Unlike iterating the stream, it leaves it open when the iteration ends early. */
async function* withEnd(stream: Readable, { isCompressed }: { isCompressed: boolean }): AsyncGenerator<Buffer | null> {
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) yield chunk;
  } catch (error) {
    throw isCompressed ? new ApiError(400, 'The request is malformed.') : error;
  }
  yield null;
}

const decompressors: Record<string, () => Transform> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

function decompress(request: Request): Readable {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return request;
  const create = decompressors[encoding];
  if (!create) throw new ApiError(415, 'The content encoding of the request is not supported.');
  const decompressor = create();
  request.once('close', () => request.complete || decompressor.destroy(new Error('the request was aborted')));
  return request.pipe(decompressor);
}

function createLineCollector(maxBytes: number) {
  let parts: Buffer[] = [];
  let size = 0;
  let count = 0;
  const append = (part: Buffer) => {
    size += part.length;
    // The bytes of a line that is too long are dropped.
    if (size > maxBytes) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const finish = (): Line[] => {
    const [bytes, isTooLong, number] = [Buffer.concat(parts), size > maxBytes, ++count];
    [parts, size] = [[], 0];
    if (isTooLong) return [{ number, problem: `The line is longer than ${maxBytes} bytes.`, isRefused: false }];
    if (!isUtf8(bytes)) return [{ number, problem: 'The line is not valid UTF-8.', isRefused: false }];
    const text = number === 1 ? bytes.toString().replace(/^\ufeff/, '') : bytes.toString();
    return text.trim() === '' ? [] : [{ number, text }];
  };
  return {
    /** The lines that end in the chunk. */
    add(chunk: Buffer): Line[] {
      const lines: Line[] = [];
      let start = 0;
      for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
        append(chunk.subarray(start, end));
        lines.push(...finish());
        start = end + 1;
      }
      append(chunk.subarray(start));
      return lines;
    },
    /** The last line, if it does not end with a line break. */
    end: (): Line[] => (size > 0 ? finish() : []),
    nextNumber: () => count + 1,
  };
}
