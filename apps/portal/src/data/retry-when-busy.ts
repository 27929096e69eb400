import { ApiFailure } from '../api/failure.js';

const delaysMs = [1_000, 2_000, 5_000, 15_000, 30_000];

/**
 * Retries a request up to 5 times, after growing delays, while the API is overloaded or unavailable. Rejects if the
 * signal is aborted during a delay.
 */
export async function retryWhenBusy<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (const ms of delaysMs) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ApiFailure && (error.kind === 'busy' || error.kind === 'unavailable'))) throw error;
    }
    await wait(ms, signal);
  }
  return request();
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
