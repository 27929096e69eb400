import { Pool } from 'undici';
import { now } from './clock.js';
import { describeLatency } from './measurements.js';
import type { Row } from './result.js';

export type Call = { method: 'GET' | 'POST'; path: string; headers?: Record<string, string>; body?: string };

const connections = 8;
const warmUpMs = 300;

/**
 * Sends requests over eight connections, each as soon as the previous response has arrived, after a short warm-up. All
 * responses but 200 are errors. `successes` counts the responses with 200, those of the warm-up included.
 */
export async function measureClosedLoop(
  ms: number,
  origin: string,
  call: () => Call,
): Promise<{ row: Row; successes: number }> {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  let successes = 0;
  const run = async (untilAt: number) => {
    const durations: number[] = [];
    let errors = 0;
    const useConnection = async () => {
      while (now() < untilAt) {
        const sentAt = now();
        const { statusCode, body } = await pool.request(call());
        await body.dump({ limit: 10_000_000 });
        durations.push(now() - sentAt);
        if (statusCode === 200) successes++;
        else errors++;
      }
    };
    await Promise.all(Array.from({ length: connections }, useConnection));
    return { durations, errors };
  };
  try {
    await run(now() + warmUpMs);
    const startedAt = now();
    const { durations, errors } = await run(startedAt + ms);
    const { p50, p95, p99 } = describeLatency(durations);
    const perSecond = durations.length / ((now() - startedAt) / 1_000);
    return { row: { 'requests/s': perSecond, 'p50 ms': p50, 'p95 ms': p95, 'p99 ms': p99, errors }, successes };
  } finally {
    await pool.close();
  }
}
