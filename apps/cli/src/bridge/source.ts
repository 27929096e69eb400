import type { IngestMessage } from './ingest.js';

/** A queue or a topic of a broker. */
export type Source = {
  /** Its name in logs, such as `queue events of RabbitMQ`. */
  name: string;
  /**
   * Connects to the broker. Throws an OperatorError when an option or the broker must be changed first, and another
   * error when the broker is unavailable.
   */
  connect(): Promise<BrokerConnection>;
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
