import type { IQueueBackend } from 'bullmq';

type Exec = (client: unknown, command: string, words: unknown[]) => Promise<unknown>;

/** What BullMQ's replies say of an ingress queue. */
export type IngressFetches = {
  /** Whether the last reply left no job in the queue. */
  isEmpty(): boolean;
  /** Whether a marker was taken and nothing was fetched since. A marker comes only once. */
  isWoken(): boolean;
};

/** The time of the next delayed job in a reply with the last job: no other job waits or is delayed. */
export const nothingLeft = -1;

/** Observes the replies of a backend. It replaces a private member of BullMQ, as `guardIngress` does. */
export function observeFetches(backend: IQueueBackend): IngressFetches {
  let isEmpty = false;
  let isWoken = false;
  const exec = (Reflect.get(backend, 'execCommand') as Exec).bind(backend);
  const observed: Exec = async (on, command, words) => {
    if (command === 'moveToActive') isWoken = false;
    const reply = await exec(on, command, words);
    // All scripts run on one connection, so the last reply is the latest state.
    if (Array.isArray(reply) && (command === 'moveToActive' || command === 'moveToFinished'))
      isEmpty = reply[3] === nothingLeft;
    return reply;
  };
  Reflect.set(backend, 'execCommand', observed);
  const wait = backend.waitForJob.bind(backend);
  backend.waitForJob = async (seconds) => {
    const marker = await wait(seconds);
    isWoken = true;
    return marker;
  };
  return { isEmpty: () => isEmpty, isWoken: () => isWoken };
}
