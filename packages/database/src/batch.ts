import { isDatabaseUnavailable } from './unavailable.js';

/** Items in one statement at most, for those that have no reason for another number. */
export const batchSize = 200;

export type BatchOptions = {
  /** Items in one call at most. */
  most: number;
  /** Calls under way at once; 2 when absent. */
  atOnce?: number;
  /** For how long the first of a call waits for company, where nobody waits for the answer; 0 when absent. */
  lingerMs?: number;
  /** Whether an error is nobody's own: then all of a call fail with it at once. `isDatabaseUnavailable` when absent. */
  isShared?: (error: unknown) => boolean;
};

type Waiting<I, O> = { item: I; resolve: (output: O) => void; reject: (error: unknown) => void };

/**
 * Gathers single calls into calls of many, without making anybody wait for company: the first goes at once, and what
 * comes while it is under way goes together. `act` answers for each item in turn. When a call of many fails, its items
 * are tried one by one, so that one of them cannot fail the others, unless the error is one that they share.
 */
export function batched<I, O>(
  act: (items: I[]) => Promise<O[]>,
  { most, atOnce = 2, lingerMs = 0, isShared = isDatabaseUnavailable }: BatchOptions,
): (item: I) => Promise<O> {
  let waiting: Waiting<I, O>[] = [];
  let underWay = 0;
  let scheduled = false;

  const next = () => {
    scheduled = false;
    while (underWay < atOnce && waiting.length > 0) {
      const batch = waiting.slice(0, most);
      waiting = waiting.slice(most);
      underWay++;
      void run(act, batch, isShared).finally(() => {
        underWay--;
        if (lingerMs === 0) next();
        else if (waiting.length > 0) schedule();
      });
    }
  };
  const schedule = () => {
    if (scheduled || underWay >= atOnce) return;
    scheduled = true;
    // What else this turn of the event loop brings goes along.
    if (lingerMs === 0 || waiting.length >= most) setImmediate(next);
    else setTimeout(next, lingerMs);
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
}

async function run<I, O>(
  act: (items: I[]) => Promise<O[]>,
  batch: Waiting<I, O>[],
  isShared: (error: unknown) => boolean,
): Promise<void> {
  try {
    const outputs = await act(batch.map(({ item }) => item));
    batch.forEach(({ resolve, reject }, index) => {
      if (index < outputs.length) resolve(outputs[index] as O);
      else reject(new Error('a batch answered for too few'));
    });
  } catch (error) {
    if (batch.length === 1 || isShared(error)) return batch.forEach(({ reject }) => reject(error));
    for (const one of batch) await run(act, [one], isShared);
  }
}
