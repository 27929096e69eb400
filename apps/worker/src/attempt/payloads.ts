import { setTimeout as sleep } from 'node:timers/promises';
import { plainBody } from '@ringback/callbacks';
import type { DeliveryTask } from '@ringback/database';

const mostPerMs = 100_000;

/** What an event says, and the bytes of its plain body where they are shared. */
export type Payload = { payload: string; plain?: Buffer };

export type Payloads = {
  /** Resolves with what the act makes of a task's payload; undefined when its event is gone. */
  use<T>(task: DeliveryTask, act: (payload: Payload) => Promise<T>): Promise<T | undefined>;
};

/**
 * Large payloads are not in their tasks but loaded here. Attempts for one event at many receivers share what is loaded and
 * sent as long as they are made at the same time; and they begin at a pace of 100 MB a second, since signing and sending that much
 * takes half of a worker's time.
 */
export function openPayloads(load: (eventId: string) => Promise<string | undefined>): Payloads {
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
        turn = turn.then(() => sleep(found.payload.length / mostPerMs));
        await mine;
        return await act(found);
      } finally {
        if (--one.users === 0) shared.delete(task.eventId);
      }
    },
  };
}
