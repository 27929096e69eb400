import { errorFields, OperatorError } from '@ringback/process';
import type { Message } from './message.js';

/** Makes a message's event durable (`MessageIngester.ingest`). */
export type IngestMessage = (message: Message) => Promise<void>;

/** A queue or a topic of a broker. */
export type Source = {
  /** Its name in logs, such as `queue events of RabbitMQ`. */
  name: string;
  /**
   * Connects to the broker. Throws an OperatorError when an option or the broker must be changed first, and another
   * error when the broker is unavailable.
   */
  connect(): Promise<BrokerConnection>;
  /**
   * Reads up to `limit` messages, fewer when there are no more, and leaves all of them to the bridges. Throws like
   * `connect`.
   */
  peek(limit: number): Promise<Message[]>;
};

/** A connection to a broker. */
export type BrokerConnection = {
  /**
   * Ingests messages, and acknowledges each one after it is ingested, until `stopping` aborts. Rejects when the
   * connection breaks; the broker then delivers unacknowledged messages again.
   */
  run(ingest: IngestMessage, stopping: AbortSignal): Promise<void>;
  /**
   * Waits until the messages in flight are ingested, acknowledges them, and disconnects within `closeWithinMs`. Never
   * rejects.
   */
  close(): Promise<void>;
};

/** How long a broker has to confirm that a connection ends. */
export const closeWithinMs = 5_000;

/** Resolves when the signal aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** The error's message and code, as fields of a log line. */
type BrokerErrorFields = { error: string; code?: string };

/**
 * The message and code of an error's innermost cause, or of the error if it has none. The libraries wrap the error of a
 * refused connection several times.
 */
export function brokerErrorFields(error: unknown): BrokerErrorFields {
  let cause = error;
  for (let depth = 0; depth < 10; depth++) {
    const next: unknown =
      cause instanceof AggregateError ? cause.errors[0] : cause instanceof Error ? cause.cause : null;
    if (!(next instanceof Error)) break;
    cause = next;
  }
  return errorFields(cause);
}

/** Like `brokerErrorFields`, for an error while connecting. For a known error, the message also says what to check. */
export function connectErrorFields(error: unknown): BrokerErrorFields {
  const fields = brokerErrorFields(error);
  const hint = hints.find(([pattern]) => pattern.test(`${fields.code ?? ''} ${fields.error}`))?.[1];
  return hint === undefined ? fields : { ...fields, error: `${fields.error.replace(/\.$/, '')}; ${hint}` };
}

const hints: readonly (readonly [RegExp, string])[] = [
  [/SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/, "NODE_EXTRA_CA_CERTS must name the broker's CA file"],
  [/WRONG_VERSION_NUMBER|before secure TLS connection/, 'check whether the port uses TLS'],
  // RabbitMQ's reason does not reach the library's caller.
  [/ Expected ConnectionOpenOk/, 'the virtual host does not exist, or the user has no access to it'],
  [/ACCESS_REFUSED - access to queue| Topic authorization/, 'the user needs permission to read it'],
  [/rabbit_stream_queue/, 'the queue of --queue is a RabbitMQ stream, which the bridge cannot read'],
  [/ Group authorization/, 'the user needs permission to use the consumer group of --group'],
  [/ Request is not valid given the current SASL state/, 'this port does not accept credentials'],
  [
    / (Socket closed abruptly|Frame size|Connection closed|Request timed out)/,
    'check the port, and whether it needs TLS or a password',
  ],
];

/** An OperatorError that says why a broker cannot be used. */
export function toOperatorError(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  return new OperatorError(`--from or BRIDGE_URL: the broker cannot be used (${connectErrorFields(error).error})`);
}
