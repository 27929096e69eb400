import type { IQueueBackend } from 'bullmq';

type ExecCommand = (client: unknown, command: string, args: unknown[]) => Promise<unknown>;

/** What the latest replies to BullMQ's scripts say about an ingress queue. */
export type IngressFetches = {
  /** Whether the last reply left no job in the queue. */
  isEmpty(): boolean;
  /** Whether a marker was taken and nothing was fetched since. A marker comes only once. */
  isWoken(): boolean;
};

/** Stands in a reply for the time of the next delayed job: the job in the reply is the last one of the queue. */
export const nothingLeft = -1;

/** Observes the replies of a backend. It replaces a private member of BullMQ, as `guardIngress` does. */
export function observeFetches(backend: IQueueBackend): IngressFetches {
  let isEmpty = false;
  let isWoken = false;
  const execCommand = (Reflect.get(backend, 'execCommand') as ExecCommand).bind(backend);
  const execObserved: ExecCommand = async (scriptClient, command, args) => {
    if (command === 'moveToActive') isWoken = false;
    const reply = await execCommand(scriptClient, command, args);
    // All scripts run on one connection, so the last reply is the latest state.
    if (Array.isArray(reply) && (command === 'moveToActive' || command === 'moveToFinished'))
      isEmpty = reply[3] === nothingLeft;
    return reply;
  };
  Reflect.set(backend, 'execCommand', execObserved);
  const wait = backend.waitForJob.bind(backend);
  backend.waitForJob = async (seconds) => {
    const marker = await wait(seconds);
    isWoken = true;
    return marker;
  };
  return { isEmpty: () => isEmpty, isWoken: () => isWoken };
}
