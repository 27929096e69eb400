import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCertificate } from '@ringback/receiver';
import { createTemporaryFolder } from '@ringback/testing';
import { awaitArrival } from '../arrival.js';
import { pushBurst, toWebhooks } from '../load.js';
import type { BenchOptions } from '../options.js';
import type { Listening } from '../receiver-process.js';
import type { Result, Row } from '../result.js';
import { startStack } from '../stack.js';
import { measureBurst } from './throughput.js';

const webhookCount = 300;
const warmUpEvents = 2_000;

/**
 * Measures the worker's CPU for a delivery over HTTPS beside plain HTTP. The receiver keeps its connections open, or
 * closes each one after a response. The receiver counts new connections and resumed TLS sessions. Each row has its own
 * worker, because a worker caches sessions.
 */
export async function tls(options: BenchOptions): Promise<Result> {
  const certificate = makeCertificate();
  const folder = createTemporaryFolder('ringback-bench-ca');
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, certificate.cert);
  const env = { NODE_EXTRA_CA_CERTS: caFile };
  const kinds: [string, Listening][] = [
    ['http, kept alive', {}],
    ['http, closed', { closes: true }],
    ['https, kept alive', { certificate }],
    ['https, closed', { certificate, closes: true }],
    [`https, closed, ${webhookCount} ports`, { certificate, closes: true, ports: webhookCount }],
    ['https, closed, never resumed', { certificate, closes: true, resumes: false }],
  ];
  try {
    const rows: Row[] = [];
    for (const [calls, listening] of kinds)
      rows.push({ calls, ...(await measure({ ...options, env }, listening, calls)) });
    const closedHttp = rows.find(({ calls }) => calls === 'http, closed');
    for (const row of rows)
      row['µs more than http, closed'] = Number(row['worker µs']) - Number(closedHttp?.['worker µs']);
    return { scenario: 'tls', title: `TLS: ${options.events} events to ${webhookCount} webhooks`, rows };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(
  options: BenchOptions & { env: Record<string, string> },
  listening: Listening,
  calls: string,
): Promise<Row> {
  const stack = await startStack({ ...options, listening });
  try {
    const target = toWebhooks(stack.queues, await stack.addWebhooks('tls', webhookCount));
    options.setStep(`${calls}: warming up`);
    await awaitArrival(stack, await pushBurst(target, Math.min(warmUpEvents, options.events)));
    const { row } = await measureBurst(stack, target, options);
    const { connections, resumed } = await stack.receiver.count();
    return { connections, resumed, ...row };
  } finally {
    await stack.stop();
  }
}
