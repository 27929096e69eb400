import { randomBytes } from 'node:crypto';
import { errorFields, type Logger } from './logger.js';
import { readVersion } from './installation.js';

/** A finished span of an event's trace. */
export type Span = {
  /** The event's id, a UUID. The trace id is derived from it, so no trace context has to be passed on. */
  eventId: string;
  name: string;
  kind: 'consumer' | 'client';
  /** The root span has a span id derived from the event's id; all other spans of the event are its children. */
  isRoot: boolean;
  /** Unix time in ms. */
  startedAt: number;
  /** Unix time in ms. */
  endedAt: number;
  hasFailed: boolean;
  attributes: Record<string, string | number>;
};

export type Tracer = {
  /** Queues a span, which is exported within a few seconds. Never throws. */
  record(span: Span): void;
  /** Exports the queued spans and stops. */
  close(): Promise<void>;
};

export type TracerOptions = {
  /** The URL of an OTLP/HTTP collector, without `/v1/traces`. */
  endpoint: string;
  headers?: Record<string, string> | undefined;
  service: string;
  /** Reports spans that were dropped because the export failed or the queue was full. */
  onDropped(error: Error): void;
};

const exportIntervalMs = 2_000;
const maxBatchSize = 500;
const maxQueuedSpans = 5_000;
const exportTimeoutMs = 2_000;
const reportIntervalMs = 60_000;
const kinds = { client: 3, consumer: 5 };
const errorStatus = { code: 2 };

/**
 * Creates a tracer that exports spans to an OpenTelemetry collector as OTLP in JSON. Exports are not retried: while the
 * collector is unavailable, spans are dropped. `onDropped` reports the number of dropped spans at most once a minute.
 */
export function createOtlpTracer({ endpoint, headers = {}, service, onDropped }: TracerOptions): Tracer {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const version = readVersion();
  const resource = { attributes: formatAttributes({ 'service.name': service, 'service.version': version }) };
  const queue: Span[] = [];
  let droppedCount = 0;
  // The reason for the latest drop.
  let dropReason = '';
  let reportedAtMonotonicMs = -Infinity;
  let exporting: Promise<void> = Promise.resolve();

  const drop = (count: number, reason: string) => {
    droppedCount += count;
    dropReason = reason;
  };
  const reportDropped = () => {
    if (droppedCount === 0 || performance.now() - reportedAtMonotonicMs < reportIntervalMs) return;
    reportedAtMonotonicMs = performance.now();
    onDropped(new Error(`${droppedCount} spans were dropped (${dropReason})`));
    droppedCount = 0;
  };
  const exportQueue = async () => {
    while (queue.length > 0) {
      const batch = queue.splice(0, maxBatchSize);
      const scopeSpans = [{ scope: { name: 'ringback', version }, spans: batch.map(formatSpan) }];
      await post(url, headers, { resourceSpans: [{ resource, scopeSpans }] }).catch((error: unknown) => {
        // The other batches would fail too, and `close` must not wait for each of them to time out.
        drop(batch.length + queue.splice(0).length, errorFields(error).error);
      });
    }
    reportDropped();
  };
  const flush = () => (exporting = exporting.then(exportQueue));
  const timer = setInterval(() => void flush(), exportIntervalMs).unref();
  return {
    record(span) {
      if (queue.length < maxQueuedSpans) queue.push(span);
      else drop(1, 'the queue is full');
    },
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

type OtlpConfig = { endpoint: string | undefined; headers: Record<string, string> | undefined };

/** Creates the tracer of a process, which logs dropped spans as `spans.dropped`. Undefined without an endpoint. */
export function createTracer(service: string, { endpoint, headers }: OtlpConfig, log: Logger): Tracer | undefined {
  if (endpoint === undefined) return undefined;
  const onDropped = (error: Error) => log.error('spans.dropped', errorFields(error));
  return createOtlpTracer({ endpoint, headers, service, onDropped });
}

async function post(url: string, headers: Record<string, string>, body: object): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(exportTimeoutMs),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the collector answered ${response.status}`);
}

function formatSpan({ eventId, name, kind, isRoot, startedAt, endedAt, hasFailed, attributes }: Span) {
  const traceId = eventId.replaceAll('-', '').toLowerCase();
  const rootId = traceId.slice(16);
  const ids = isRoot ? { spanId: rootId } : { spanId: randomBytes(8).toString('hex'), parentSpanId: rootId };
  return {
    traceId,
    ...ids,
    name,
    kind: kinds[kind],
    startTimeUnixNano: formatNanoseconds(startedAt),
    endTimeUnixNano: formatNanoseconds(endedAt),
    attributes: formatAttributes(attributes),
    ...(hasFailed ? { status: errorStatus } : {}),
  };
}

const formatNanoseconds = (ms: number) => String(BigInt(Math.round(ms)) * 1_000_000n);

const formatAttributes = (attributes: Span['attributes']) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(Math.round(value)) } : { stringValue: value },
  }));
