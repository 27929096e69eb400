import { setTimeout as sleep } from 'node:timers/promises';

/** The result of a call. The status is 0 if there was no response. */
export type Answer = { status: number; tookMs: number };

/** Creates a function that calls the management API with a token. A call is aborted after `timeoutMs`. */
export const createCaller =
  (baseUrl: string, token: string) =>
  async (method: string, path: string, body?: object, timeoutMs = 30_000): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(timeoutMs);
    const startedAt = performance.now();
    const answerWith = (status: number) => ({ status, tookMs: performance.now() - startedAt });
    try {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers,
        signal,
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      await response.arrayBuffer();
      return answerWith(response.status);
    } catch {
      return answerWith(0);
    }
  };

type CallOptions = { connections: number; pauseMs?: number; onAnswer(answer: Answer): void };

/**
 * Makes the calls in turn over `connections` connections until the returned function is called. Each connection pauses
 * for `pauseMs` after a response.
 */
export function keepCalling(
  calls: (() => Promise<Answer>)[],
  { connections, pauseMs = 0, onAnswer }: CallOptions,
): () => Promise<void> {
  let count = 0;
  let isOver = false;
  const useConnection = async () => {
    while (!isOver) {
      const answer = await calls[count++ % calls.length]?.();
      if (answer) onAnswer(answer);
      await sleep(pauseMs);
    }
  };
  const loops = Array.from({ length: connections }, useConnection);
  return async () => {
    isOver = true;
    await Promise.all(loops);
  };
}
