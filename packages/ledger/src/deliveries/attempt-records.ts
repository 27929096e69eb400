import type { EventName } from '@ringback/rules';
import type { Delivery } from '../generated/client.js';
import { type Columns, defineRecords, namesOf } from '../sql/json-records.js';

/** An attempt, its request and response, and what it means for its delivery. */
export type AttemptRecord = {
  deliveryId: string;
  event: EventName;
  number: number;
  startedAt: Date;
  durationMs: number;
  outcome: string;
  statusCode: number | null;
  errorCode: string | null;
  url: string;
  responseBody: string | null;
  warnings: string[];
  kind: 'scheduled' | 'resend';
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  remoteAddress: string | null;
  /** The request headers that `compactHeaders` selects. Null when neither they nor the body are stored. */
  requestHeaders: Record<string, string | null> | null;
  /** Null when the body can be derived from the event, or is not stored. */
  requestBody: string | null;
  responseHeaders: Record<string, string> | null;
  /**
   * The state that the verdict gives (`pending` for a retry). A failed resend leaves a delivered delivery delivered.
   */
  state: Delivery['state'];
  /** The time from the end of this attempt to the next one. Null when the state is final. */
  waitMs: number | null;
  /** `performance.now()` at the end of the attempt. */
  endedAtMonotonicMs: number;
};

/** The columns that `recordAttempts` copies into `attempts`. */
const storedColumns: Columns<AttemptRecord> = {
  delivery_id: ['uuid', (attempt) => attempt.deliveryId],
  number: ['int', (attempt) => attempt.number],
  started_at: ['timestamptz', (attempt) => attempt.startedAt],
  duration_ms: ['int', (attempt) => attempt.durationMs],
  outcome: ['text', (attempt) => attempt.outcome],
  status_code: ['int', (attempt) => attempt.statusCode],
  error_code: ['text', (attempt) => attempt.errorCode],
  url: ['text', (attempt) => attempt.url],
  response_body: ['text', (attempt) => attempt.responseBody],
  warnings: ['text[]', (attempt) => attempt.warnings],
  kind: ['text', (attempt) => attempt.kind],
  dns_ms: ['int', (attempt) => attempt.dnsMs],
  connect_ms: ['int', (attempt) => attempt.connectMs],
  tls_ms: ['int', (attempt) => attempt.tlsMs],
  first_byte_ms: ['int', (attempt) => attempt.firstByteMs],
  remote_address: ['text', (attempt) => attempt.remoteAddress],
  request_headers: ['json', (attempt) => attempt.requestHeaders],
  request_body: ['text', (attempt) => attempt.requestBody],
  response_headers: ['json', (attempt) => attempt.responseHeaders],
  verdict: ['text', ({ state }) => (state === 'pending' ? 'retry' : state)],
};

/** The columns of `attempts` that are copied from the input. */
export const storedColumnNames = namesOf(storedColumns);

/** Encodes attempts as the JSON parameter of the statement that records them. */
export const attemptRecords = defineRecords<AttemptRecord>({
  ...storedColumns,
  state: ['delivery_state', (attempt) => attempt.state],
  // What is left of the wait when the statement runs, which is late after an outage of PostgreSQL.
  wait_ms: [
    'float8',
    ({ waitMs, endedAtMonotonicMs }) =>
      waitMs === null ? null : Math.max(0, waitMs - (performance.now() - endedAtMonotonicMs)),
  ],
  event: ['text', (attempt) => attempt.event],
});
