import { randomBytes } from 'node:crypto';
import { errorFields, type Logger } from './logger.js';
import { readVersion } from './version.js';

/** Something that was done with an event. */
export type Span = {
  /** The event's id, a UUID: it is the trace's id, too, so that nothing has to be carried along. */
  eventId: string;
  name: string;
  kind: 'consumer' | 'client';
  /** `first` is that under which all others of the event stand. */
  place: 'first' | 'under';
  /** Unix time in ms. */
  startedAt: number;
  endedAt: number;
  failed: boolean;
  attributes: Record<string, string | number>;
};

export type Traces = {
  /** Notes a span, which is sent within some seconds. Costs next to nothing and never throws. */
  note(span: Span): void;
  /** Sends what is left. */
  close(): Promise<void>;
};

export type TracesOptions = {
  /** Where a collector takes OTLP over HTTP, without `/v1/traces`. */
  endpoint: string;
  headers?: Record<string, string> | undefined;
  service: string;
  /** Told when spans are lost, because the collector is away or there are too many. */
  onError(error: Error): void;
};

const everyMs = 2_000;
const mostInBatch = 500;
const mostWaiting = 5_000;
const patienceMs = 2_000;
const complainEveryMs = 60_000;
const kinds = { client: 3, consumer: 5 };
const failure = { code: 2 };

/**
 * Sends spans to an OpenTelemetry collector as OTLP in JSON. There is no SDK: a span is known as a whole when it is
 * noted. A collector that is away costs its spans and nothing else.
 */
export function openTraces({ endpoint, headers = {}, service, onError }: TracesOptions): Traces {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const version = readVersion();
  const resource = { attributes: attributesOf({ 'service.name': service, 'service.version': version }) };
  const waiting: Span[] = [];
  let lost = 0;
  let complainedAt = -Infinity;
  let sending: Promise<void> = Promise.resolve();

  const complain = (reason: string) => {
    if (lost === 0 || performance.now() - complainedAt < complainEveryMs) return;
    complainedAt = performance.now();
    onError(new Error(`${lost} spans are lost (${reason})`));
    lost = 0;
  };
  const send = async () => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, mostInBatch);
      const scopeSpans = [{ scope: { name: 'ringback', version }, spans: batch.map(toOtlp) }];
      await post(url, headers, { resourceSpans: [{ resource, scopeSpans }] }).catch((error: unknown) => {
        // Nobody waits for a collector that is away, least of all a stop.
        lost += batch.length + waiting.splice(0).length;
        complain(errorFields(error).error);
      });
    }
    complain('too many at once');
  };
  const flush = () => (sending = sending.then(send));
  const timer = setInterval(() => void flush(), everyMs).unref();
  return {
    note(span) {
      if (waiting.length < mostWaiting) waiting.push(span);
      else lost++;
    },
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

type Configured = { endpoint: string | undefined; headers: Record<string, string> | undefined };

/** The traces of a process, which says in its log what is lost of them; undefined without an endpoint. */
export function openConfiguredTraces(service: string, { endpoint, headers }: Configured, log: Logger) {
  if (endpoint === undefined) return undefined;
  const onError = (error: Error) => log.error('traces.lost', errorFields(error));
  return openTraces({ endpoint, headers, service, onError });
}

async function post(url: string, headers: Record<string, string>, body: object): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(patienceMs),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the collector answered ${response.status}`);
}

function toOtlp({ eventId, name, kind, place, startedAt, endedAt, failed, attributes }: Span) {
  const traceId = eventId.replaceAll('-', '').toLowerCase();
  const first = traceId.slice(16);
  const ids = place === 'first' ? { spanId: first } : { spanId: randomBytes(8).toString('hex'), parentSpanId: first };
  return {
    traceId,
    ...ids,
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanos(startedAt),
    endTimeUnixNano: nanos(endedAt),
    attributes: attributesOf(attributes),
    ...(failed ? { status: failure } : {}),
  };
}

const nanos = (ms: number) => String(BigInt(Math.round(ms)) * 1_000_000n);

const attributesOf = (attributes: Span['attributes']) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(Math.round(value)) } : { stringValue: value },
  }));
