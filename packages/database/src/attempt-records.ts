import type { Delivery } from './generated/client.js';
import { type Columns, defineRecords, namesOf } from './records.js';

/** One HTTP call and what it means for its delivery. */
export type AttemptRecord = {
  deliveryId: string;
  number: number;
  startedAt: Date;
  durationMs: number;
  outcome: string;
  statusCode: number | null;
  errorCode: string | null;
  url: string;
  answer: string | null;
  warnings: string[];
  kind: 'scheduled' | 'resend';
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  remoteAddress: string | null;
  /** The request's headers that `compactHeaders` selects. */
  requestHeaders: Record<string, string | null>;
  /** Null when it is the plain event. */
  requestBody: string | null;
  responseHeaders: Record<string, string> | null;
  state: Delivery['state'];
  /** Time until the next attempt, from now by the database's clock; null when the state is final. */
  waitMs: number | null;
};

/** What the statement stores in `attempts` as it is given. */
const storedColumns: Columns<AttemptRecord> = {
  delivery_id: ['uuid', (attempt) => attempt.deliveryId],
  number: ['int', (attempt) => attempt.number],
  started_at: ['timestamptz', (attempt) => attempt.startedAt],
  duration_ms: ['int', (attempt) => attempt.durationMs],
  outcome: ['text', (attempt) => attempt.outcome],
  status_code: ['int', (attempt) => attempt.statusCode],
  error_code: ['text', (attempt) => attempt.errorCode],
  url: ['text', (attempt) => attempt.url],
  answer: ['text', (attempt) => attempt.answer],
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
};

export const storedColumnNames = namesOf(storedColumns);

export const attemptRecords = defineRecords<AttemptRecord>({
  ...storedColumns,
  state: ['delivery_state', (attempt) => attempt.state],
  wait_ms: ['float8', (attempt) => attempt.waitMs],
});
