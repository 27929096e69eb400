import { setTimeout as sleep } from 'node:timers/promises';
import { plainBody } from '@ringback/callbacks';
import type { DeliveryTask } from '@ringback/database';

const maxBytesPerMs = 100_000;

/** The payload of an event, and the bytes of its plain body when attempts share them. */
export type Payload = { payload: string; plain?: Buffer };

export type Payloads = {
  /** Resolves with the result of the act on a task's payload; undefined when the event was deleted. */
  use<T>(task: DeliveryTask, act: (payload: Payload) => Promise<T>): Promise<T | undefined>;
};

/**
 * Loads large payloads, which are not in their tasks. Concurrent attempts of one event share the payload. They start at
 * 100 MB a second at most: signing and sending that much takes half of a worker's time.
 */
export function createPayloads(load: (eventId: string) => Promise<string | undefined>): Payloads {
  const shared = new Map<string, { users: number; loaded: Promise<Payload | undefined> }>();
  let turn: Promise<unknown> = Promise.resolve();

  const open = async ({ eventId, event }: DeliveryTask): Promise<Payload | undefined> => {
    const payload = await load(eventId);
    return payload === undefined ? undefined : { payload, plain: Buffer.from(plainBody(event, payload), 'utf8') };
  };
  return {
    async use(task, act) {
      if (task.payload !== null) return act({ payload: task.payload });
      const one = shared.get(task.eventId) ?? { users: 0, loaded: open(task) };
      shared.set(task.eventId, one);
      one.users++;
      try {
        const found = await one.loaded;
        if (found === undefined) return undefined;
        const mine = turn;
        turn = turn.then(() => sleep(found.payload.length / maxBytesPerMs));
        await mine;
        return await act(found);
      } finally {
        if (--one.users === 0) shared.delete(task.eventId);
      }
    },
  };
}
