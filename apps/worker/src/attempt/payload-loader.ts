import { setTimeout as sleep } from 'node:timers/promises';
import { plainBody } from '@ringback/rules';
import type { DeliveryTask } from '@ringback/ledger';

const maxBytesPerMs = 100_000;

/** An event's payload. A large one has `encodedPlainBody`, the bytes of `plainBody`, which attempts share. */
export type Payload = { payload: string; encodedPlainBody?: Buffer };

type LargePayload = Required<Payload>;

export type PayloadLoader = {
  /**
   * Runs a function with the payload of a task, and resolves with the function's result. Resolves with undefined,
   * without a call, if a payload has to be loaded and its event was deleted. `sendByMonotonicMs`: the latest time of
   * `performance.now()` at which the function sends the payload.
   */
  withPayload<T>(
    task: DeliveryTask,
    { sendByMonotonicMs }: { sendByMonotonicMs: number },
    run: (payload: Payload) => Promise<T>,
  ): Promise<T | undefined>;
};

/**
 * Creates the loader of large payloads, which are not part of their tasks. Concurrent attempts of one event share the
 * payload. Attempts with large payloads start at a rate of at most 100 MB a second: signing and sending that much takes
 * half of a worker's time.
 */
export function createPayloadLoader(load: (eventId: string) => Promise<string | undefined>): PayloadLoader {
  const shared = new Map<string, { userCount: number; loaded: Promise<LargePayload | undefined> }>();
  let nextStart: Promise<void> = Promise.resolve();

  const loadLarge = async ({ eventId, eventName }: DeliveryTask): Promise<LargePayload | undefined> => {
    const payload = await load(eventId);
    if (payload === undefined) return undefined;
    return { payload, encodedPlainBody: Buffer.from(plainBody(eventName, payload), 'utf8') };
  };
  return {
    async withPayload(task, { sendByMonotonicMs }, run) {
      if (task.payload !== null) return run({ payload: task.payload });
      const entry = shared.get(task.eventId) ?? { userCount: 0, loaded: loadLarge(task) };
      shared.set(task.eventId, entry);
      entry.userCount++;
      try {
        const payload = await entry.loaded;
        if (payload === undefined) return undefined;
        const start = nextStart;
        // A payload whose turn comes too late is not sent, so the next one need not wait for it.
        nextStart = start.then(() =>
          performance.now() > sendByMonotonicMs ? undefined : sleep(payload.encodedPlainBody.length / maxBytesPerMs),
        );
        await start;
        return await run(payload);
      } finally {
        if (--entry.userCount === 0) shared.delete(task.eventId);
      }
    },
  };
}
