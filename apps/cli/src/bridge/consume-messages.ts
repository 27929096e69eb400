import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError, type Logger } from '@ringback/process';
import { brokerErrorFields, connectErrorFields } from './broker-error.js';
import type { IngestMessage } from './ingest.js';
import { aborted, type BrokerConnection, type Source } from './source.js';

const reconnectMs = { first: 500, max: 10_000 };
/** After a connection that lasted at least this long, the next wait is the first one again. */
const stableMs = 5_000;

export type ConsumeDeps = {
  source: Source;
  ingest: IngestMessage;
  log: Logger;
  stopping: AbortSignal;
  /** Called when the broker is connected and when the connection breaks. */
  setConnected(isConnected: boolean): void;
};

/**
 * Connects to the broker and ingests messages until `stopping` aborts. When a connection breaks, it connects again,
 * with growing waits. Throws an OperatorError when the first connection fails. `stopped` resolves after `stopping` has
 * aborted, when the last connection is closed and its messages in flight are acknowledged.
 */
export async function consumeMessages(deps: ConsumeDeps): Promise<{ stopped: Promise<void> }> {
  const { source, ingest, log, stopping, setConnected } = deps;
  let waitMs = reconnectMs.first;
  const connect = async () => {
    const connection = await source.connect();
    setConnected(true);
    log.info('bridge.connected', { source: source.name });
    return connection;
  };
  const reconnect = async (): Promise<BrokerConnection | undefined> => {
    for (;;) {
      await sleep(waitMs, undefined, { signal: stopping }).catch(() => undefined);
      if (stopping.aborted) return undefined;
      waitMs = Math.min(waitMs * 2, reconnectMs.max);
      try {
        return await connect();
      } catch (error) {
        log.warn('bridge.unavailable', { source: source.name, ...connectErrorFields(error) });
      }
    }
  };
  const runConnection = async (connection: BrokerConnection) => {
    const startedAt = performance.now();
    await connection.run(ingest, stopping).catch((error: unknown) => {
      setConnected(false);
      log.warn('bridge.disconnected', { source: source.name, ...brokerErrorFields(error) });
    });
    if (performance.now() - startedAt >= stableMs) waitMs = reconnectMs.first;
    await connection.close();
  };
  const stopRequest = aborted(stopping).then(() => undefined);
  const keepRunning = async (first: BrokerConnection) => {
    for (let connection: BrokerConnection | undefined = first; connection !== undefined;) {
      await runConnection(connection);
      // Stopping must not wait for a slow connect.
      connection = stopping.aborted ? undefined : await Promise.race([reconnect(), stopRequest]);
    }
  };
  const first = await connect().catch((error: unknown) => {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`--from or BRIDGE_URL: the broker cannot be used (${connectErrorFields(error).error})`);
  });
  return { stopped: keepRunning(first) };
}
