import type { Request, Response } from 'express';
import type { NewEvent, ParsedEvent } from '@ringback/rules';
import { isTransientDatabaseError, type StoreResult } from '@ringback/ledger';
import { errorFields, type Logger } from '@ringback/process';
import { type Line, readLines } from '../http/input/lines.js';
import { ApiError, type FieldErrors } from '../http/output/api-error.js';
import { maxEventsBytes, noEvents, readLine, refuseIdempotencyKey } from './input.js';

export const maxLines = 10_000;
const maxBytes = 64 * 1024 * 1024;
// A batch that fails has to be pushed again as a whole. Larger ones are hardly faster.
const maxBatchLines = 500;
const maxBatchLength = maxEventsBytes;

/** The answer to a line. */
type LineAnswer =
  | { line: number; id: string; state: 'accepted' | 'duplicate' }
  | { line: number; state: 'invalid' | 'refused'; errors: FieldErrors }
  | { line: number; state: 'failed' };

export type PushLinesDeps = {
  log: Pick<Logger, 'error'>;
  /** Stores events, and reports what became of them. */
  ingest(events: NewEvent[]): Promise<StoreResult[]>;
};

/**
 * Takes newline-delimited JSON, one event a line, and stores it in batches while it arrives. Answers each line in its
 * order, as NDJSON too, once the line's batch is stored. An invalid line fails alone. If a batch cannot be stored, its
 * lines have `failed`, and after an outage of the database also those that follow; a failure of the first batch is the
 * answer to the whole request. Lines that failed can be pushed again.
 */
export async function pushLines({ log, ingest }: PushLinesDeps, request: Request, response: Response): Promise<void> {
  refuseIdempotencyKey(request.get('Idempotency-Key'));
  if (Number(request.headers['content-length'] ?? 0) > maxBytes)
    throw new ApiError(413, 'The request body is too large.');
  let isUnavailable = false;
  const storeBatch = async (events: NewEvent[]): Promise<StoreResult[] | null> => {
    if (isUnavailable) return null;
    try {
      return events.length === 0 ? [] : await ingest(events);
    } catch (error) {
      if (!response.headersSent) throw error;
      isUnavailable = isTransientDatabaseError(error);
      log.error(isUnavailable ? 'http.unavailable' : 'http.failed', { path: request.path, ...errorFields(error) });
      return null;
    }
  };
  const answerBatch = async (batch: Line[]) => {
    const parsed = batch.map((line) => ('text' in line ? readLine(line.text) : null));
    const results = await storeBatch(parsed.flatMap((line) => (line?.ok ? [line.event] : [])));
    const answers = answersOf(batch, parsed, results);
    if (!response.headersSent) response.status(202).type('application/x-ndjson');
    // It does not wait until the client reads: many clients read the response only when they have sent everything.
    response.write(answers.map((answer) => `${JSON.stringify(answer)}\n`).join(''));
  };
  try {
    for await (const batch of inBatches(readLines(request, { maxLines, maxLineBytes: maxEventsBytes, maxBytes })))
      await answerBatch(batch);
  } catch (error) {
    // Nobody waits for the answer to a request that was aborted.
    if (request.destroyed && !request.complete) return;
    throw error;
  }
  if (!response.headersSent) throw noEvents();
  response.end();
}

/** Combines lines to batches of as many as are stored at once. */
async function* inBatches(arrivals: AsyncIterable<Line[]>): AsyncGenerator<Line[]> {
  let batch: Line[] = [];
  let length = 0;
  for await (const lines of arrivals) {
    for (const line of lines) {
      batch.push(line);
      length += 'text' in line ? line.text.length : 0;
      if (batch.length < maxBatchLines && length < maxBatchLength) continue;
      yield batch;
      [batch, length] = [[], 0];
    }
  }
  if (batch.length > 0) yield batch;
}

/** The answers to the lines of a batch. `results` are those of its valid events; null if they could not be stored. */
function answersOf(batch: Line[], parsed: (ParsedEvent | null)[], results: StoreResult[] | null): LineAnswer[] {
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
    return result ? { line, ...pushedEvent(result) } : { line, state: 'failed' };
  });
}

/** An event as the answer to a push shows it. */
export const pushedEvent = ({ eventId, state }: StoreResult): { id: string; state: 'accepted' | 'duplicate' } => ({
  id: eventId,
  state: state === 'duplicate' ? 'duplicate' : 'accepted',
});
