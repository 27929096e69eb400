import { setTimeout as sleep } from 'node:timers/promises';

/** The result of a call. The status is 0 if there was no response. */
export type Answer = { status: number; tookMs: number };

/** Calls the management API with a token. The connection is closed after `hangUpMs`. */
export const createCaller =
  (baseUrl: string, token: string) =>
  async (method: string, path: string, body?: object, timeoutMs = 30_000): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(timeoutMs);
    const from = performance.now();
    const took = (status: number) => ({ status, tookMs: performance.now() - from });
    try {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers,
        signal,
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      await response.arrayBuffer();
      return took(response.status);
    } catch {
      return took(0);
    }
  };

type CallOptions = { connections: number; everyMs?: number; onAnswer(answer: Answer): void };

/** Makes the calls in turn over `connections` connections, `everyMs` apart, until the returned function is called. */
export function keepCalling(
  calls: (() => Promise<Answer>)[],
  { connections, everyMs = 0, onAnswer }: CallOptions,
): () => Promise<void> {
  let count = 0;
  let isOver = false;
  const work = async () => {
    while (!isOver) {
      const answer = await calls[count++ % calls.length]?.();
      if (answer) onAnswer(answer);
      await sleep(everyMs);
    }
  };
  const workers = Array.from({ length: connections }, work);
  return async () => {
    isOver = true;
    await Promise.all(workers);
  };
}
