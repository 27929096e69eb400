import type { ExecCommand } from './exec-command.js';
import type { FetchTracker } from './fetch-tracker.js';

/**
 * A tracker that observes BullMQ's backend: the replies to `exec`, which runs a script, and the ends of `wait`, which
 * waits for BullMQ's marker.
 */
export type ReplyTracker = FetchTracker & {
  observeReplies(exec: ExecCommand): ExecCommand;
  observeWaits<Args extends unknown[], Marker>(
    wait: (...args: Args) => Promise<Marker>,
  ): (...args: Args) => Promise<Marker>;
};

/**
 * The fourth value of a fetch script's reply is the time of the next delayed job, or 0. The rewritten scripts
 * (fetch-scripts.ts) put this value there if they fetched the last job of the queue. BullMQ treats negative times as 0.
 */
export const nothingLeft = -1;

/** Creates the tracker for event queues in Redis, whose scripts reply with `nothingLeft`. */
export function createReplyTracker(): ReplyTracker {
  let isEmpty = false;
  let mustFetch = false;
  return {
    isEmpty: () => isEmpty,
    mustFetch: () => mustFetch,
    noteFetch: () => undefined,
    observeReplies: (exec) => async (client, script, args) => {
      if (script === 'moveToActive') mustFetch = false;
      const reply = await exec(client, script, args);
      // All scripts run on one connection, so the reply that arrives last has the latest state.
      if (Array.isArray(reply) && (script === 'moveToActive' || script === 'moveToFinished'))
        isEmpty = reply[3] === nothingLeft;
      return reply;
    },
    observeWaits:
      (wait) =>
      async (...args) => {
        const marker = await wait(...args);
        mustFetch = true;
        return marker;
      },
  };
}
