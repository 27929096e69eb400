import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '@ringback/runtime';
import type { Logger } from '@ringback/runtime';
import { brokerErrorFields } from './broker-error.js';
import type { TakeMessage } from './intake.js';
import type { Session, Source } from './source.js';

const reconnectMs = { first: 500, max: 10_000 };

export type BridgeDeps = { source: Source; take: TakeMessage; log: Logger; stopping: AbortSignal };

export type Bridge = {
  /** Whether the broker is connected. */
  isConnected(): boolean;
  /** Resolves when the bridge has stopped and the messages in flight are acknowledged. */
  stopped: Promise<void>;
};

/**
 * Connects to the broker and takes messages until `stopping` aborts. It connects again, with growing waits, when the
 * connection breaks. Throws when the first connection fails.
 */
export async function startBridge({ source, take, log, stopping }: BridgeDeps): Promise<Bridge> {
  let connected = false;
  const connect = async () => {
    const session = await source.connect();
    connected = true;
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
    for (let session: Session | undefined = first; session !== undefined; ) {
      try {
        return await session.run(take, stopping);
      } catch (error) {
        connected = false;
        log.warn('bridge.disconnected', { source: source.name, ...brokerErrorFields(error) });
      }
      session = await reconnect();
    }
  };
  const first = await connect().catch((error: unknown) => {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`--from: the broker cannot be reached (${brokerErrorFields(error).error})`);
  });
  const stopped = keepRunning(first).finally(() => (connected = false));
  return { isConnected: () => connected, stopped };
}
