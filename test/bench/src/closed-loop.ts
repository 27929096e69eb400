import { Pool } from 'undici';
import { now } from './clock.js';
import type { Row } from './result.js';
import { describeLatency } from './statistics.js';

export type Call = { method: 'GET' | 'POST'; path: string; headers?: Record<string, string>; body?: string };

const connections = 8;
const warmUpMs = 300;

/** Eight connections, each of which asks again as soon as it has its answer; an answer that is not 200 is an error. */
export async function askFor(ms: number, origin: string, call: () => Call): Promise<{ row: Row; answers: number }> {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  let answers = 0;
  const run = async (untilAt: number) => {
    const durations: number[] = [];
    let errors = 0;
    const lane = async () => {
      while (now() < untilAt) {
        const askedAt = now();
        const { statusCode, body } = await pool.request(call());
        await body.dump({ limit: 10_000_000 });
        durations.push(now() - askedAt);
        if (statusCode === 200) answers++;
        else errors++;
      }
    };
    await Promise.all(Array.from({ length: connections }, lane));
    return { durations, errors };
  };
  try {
    await run(now() + warmUpMs);
    const startedAt = now();
    const { durations, errors } = await run(startedAt + ms);
    const { p50, p95, p99 } = describeLatency(durations);
    const perSecond = durations.length / ((now() - startedAt) / 1_000);
    return { row: { 'requests/s': perSecond, 'p50 ms': p50, 'p95 ms': p95, 'p99 ms': p99, errors }, answers };
  } finally {
    await pool.close();
  }
}
