import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '@ringback/runtime';
import type { Logger } from '@ringback/runtime';
import { brokerErrorFields } from './broker-error.js';
import type { TakeMessage } from './intake.js';
import type { Session, Source } from './source.js';

const reconnectMs = { first: 500, max: 10_000 };

export type BridgeDeps = {
  source: Source;
  take: TakeMessage;
  log: Logger;
  stopping: AbortSignal;
  /** Called when the broker is connected and when the connection breaks. */
  setConnected(isConnected: boolean): void;
};

/**
 * Connects to the broker and takes messages until `stopping` aborts. It connects again, with growing waits, when the
 * connection breaks. Throws when the first connection fails. `stopped` resolves when the messages in flight are
 * acknowledged.
 */
export async function startBridge(deps: BridgeDeps): Promise<{ stopped: Promise<void> }> {
  const { source, take, log, stopping, setConnected } = deps;
  const connect = async () => {
    const session = await source.connect();
    setConnected(true);
    log.info('bridge.connected', { source: source.name });
    return session;
  };
  const reconnect = async (): Promise<Session | undefined> => {
    for (let waitMs = reconnectMs.first; ; waitMs = Math.min(waitMs * 2, reconnectMs.max)) {
      await sleep(waitMs, undefined, { signal: stopping }).catch(() => undefined);
      if (stopping.aborted) return undefined;
      try {
        return await connect();
      } catch (error) {
        log.warn('bridge.unavailable', { source: source.name, ...brokerErrorFields(error) });
      }
    }
  };
  const keepRunning = async (first: Session) => {
    for (let session: Session | undefined = first; session !== undefined;) {
      await session.run(take, stopping).catch((error: unknown) => {
        setConnected(false);
        log.warn('bridge.disconnected', { source: source.name, ...brokerErrorFields(error) });
      });
      await session.close(stopping);
      session = stopping.aborted ? undefined : await reconnect();
    }
  };
  const first = await connect().catch((error: unknown) => {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`--from or BRIDGE_URL: the broker cannot be used (${brokerErrorFields(error).error})`);
  });
  return { stopped: keepRunning(first) };
}
