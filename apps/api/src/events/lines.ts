import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import { isTransientDatabaseError, type StoreResult } from '@ringback/ledger';
import { errorFields, type Logger } from '@ringback/process';
import type { NewEvent, ParsedEvent } from '@ringback/rules';
import { decompress } from '../http/body.js';
import { ApiError } from '../http/response.js';
import {
  maxEventsBytes,
  maxLines,
  noEvents,
  type PushedLine,
  pushedEventResource,
  readLine,
  refuseIdempotencyKey,
} from './schema.js';

const maxBytes = 64 * 1024 * 1024;
// A batch that fails has to be pushed again as a whole. Larger ones are hardly faster.
const maxBatchLines = 500;
const maxBatchLength = maxEventsBytes;

type PushLinesDeps = {
  log: Pick<Logger, 'error'>;
  ingest(events: NewEvent[]): Promise<StoreResult[]>;
};

/**
 * Stores NDJSON, one event a line, in batches while it arrives, and then answers each line in order. An invalid line
 * fails alone. If a batch cannot be stored, its lines have `failed`, and can be pushed again; if the first one cannot,
 * the whole request fails.
 *
 * Nothing is answered before the body has arrived: once a response begins, nginx forwards no more of the body.
 */
export async function pushLines({ log, ingest }: PushLinesDeps, request: Request, response: Response): Promise<void> {
  refuseIdempotencyKey(request.get('Idempotency-Key'));
  if (Number(request.headers['content-length'] ?? 0) > maxBytes)
    throw new ApiError(413, 'The request body is too large.');
  const answers: PushedLine[] = [];
  let isUnavailable = false;
  const storeBatch = async (events: NewEvent[]): Promise<StoreResult[] | null> => {
    if (isUnavailable) return null;
    try {
      return events.length === 0 ? [] : await ingest(events);
    } catch (error) {
      if (answers.length === 0) throw error;
      isUnavailable = isTransientDatabaseError(error);
      log.error(isUnavailable ? 'http.unavailable' : 'http.failed', { path: request.path, ...errorFields(error) });
      return null;
    }
  };
  const processBatch = async (batch: Line[]) => {
    const parsed = batch.map((line) => ('text' in line ? readLine(line.text) : null));
    const results = await storeBatch(parsed.flatMap((line) => (line?.ok ? [line.event] : [])));
    answers.push(...answersOf(batch, parsed, results));
  };
  try {
    for await (const batch of inBatches(readLines(request))) await processBatch(batch);
  } catch (error) {
    // Nobody waits for the answer to a request that was aborted.
    if (request.destroyed && !request.complete) return;
    throw error;
  }
  if (answers.length === 0) throw noEvents();
  response.status(202).type('application/x-ndjson');
  response.end(answers.map((answer) => `${JSON.stringify(answer)}\n`).join(''));
}

/** Combines lines into batches. */
async function* inBatches(arrivals: AsyncIterable<Line[]>): AsyncGenerator<Line[]> {
  let batch: Line[] = [];
  let length = 0;
  for await (const lines of arrivals) {
    for (const line of lines) {
      batch.push(line);
      length += 'text' in line ? line.text.length : 0;
      if (batch.length < maxBatchLines && length < maxBatchLength) continue;
      yield batch;
      batch = [];
      length = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

/** The answers to the lines of a batch. `results` are those of its valid events; null if they could not be stored. */
function answersOf(batch: Line[], parsed: (ParsedEvent | null)[], results: StoreResult[] | null): PushedLine[] {
  let stored = 0;
  return batch.map((item, index) => {
    const line = item.number;
    if ('problem' in item) {
      const [state, field] = item.isRefused ? (['refused', 'body'] as const) : (['invalid', 'line'] as const);
      return { line, state, errors: { [field]: [item.problem] } };
    }
    const event = parsed[index];
    if (!event?.ok) return { line, state: 'invalid', errors: event?.errors ?? {} };
    const result = results?.[stored++];
    return result ? { line, ...pushedEventResource(result) } : { line, state: 'failed' };
  });
}

/**
 * A line of a body, counted from 1. `text` is absent if the line is too long or not UTF-8, and `problem` says so. With
 * `isRefused`, the body is over a limit: this line and those after it are not read.
 */
type Line = { number: number } & ({ text: string } | { problem: string; isRefused: boolean });

/**
 * Reads and decompresses a body line by line, and yields the lines that arrived together, without blank ones. It reads
 * no further while the caller works on them, so a large body does not fill the memory.
 *
 * After the last line that the limits allow, it yields one with `isRefused` and ignores the rest. Throws a 415 for an
 * unknown content encoding, and a 400 for a body that does not match its own.
 */
async function* readLines(request: Request): AsyncGenerator<Line[]> {
  const body = decompress(request);
  const collector = new LineCollector(maxEventsBytes);
  let lineCount = 0;
  let byteCount = 0;
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
        return yield [...lines, { number: collector.nextNumber, problem, isRefused: true }];
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

/** The chunks of a stream, and then null. Plain iteration would destroy the stream if it ended early. */
async function* withEnd(stream: Readable, { isCompressed }: { isCompressed: boolean }): AsyncGenerator<Buffer | null> {
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) yield chunk;
  } catch (error) {
    throw isCompressed ? new ApiError(400, 'The request is malformed.') : error;
  }
  yield null;
}

/** Cuts a body into lines. A line that is too long is read to its end, but not kept. */
class LineCollector {
  #parts: Buffer[] = [];
  #size = 0;
  #count = 0;

  constructor(readonly maxBytes: number) {}

  get nextNumber(): number {
    return this.#count + 1;
  }

  /** The lines that end in the chunk. */
  add(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      this.#append(chunk.subarray(start, end));
      lines.push(...this.#finish());
      start = end + 1;
    }
    this.#append(chunk.subarray(start));
    return lines;
  }

  /** The last line, if it does not end with a line break. */
  end(): Line[] {
    return this.#size > 0 ? this.#finish() : [];
  }

  #append(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > this.maxBytes) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  #finish(): Line[] {
    const bytes = Buffer.concat(this.#parts);
    const isTooLong = this.#size > this.maxBytes;
    const number = this.nextNumber;
    this.#parts = [];
    this.#size = 0;
    this.#count += 1;
    if (isTooLong) return [{ number, problem: `The line is longer than ${this.maxBytes} bytes.`, isRefused: false }];
    if (!isUtf8(bytes)) return [{ number, problem: 'The line is not valid UTF-8.', isRefused: false }];
    const text = number === 1 ? bytes.toString().replace(/^\ufeff/, '') : bytes.toString();
    return text.trim() === '' ? [] : [{ number, text }];
  }
}
