import http from 'node:http';
import { got } from 'got';
import type { BenchOptions } from '../options.js';
import { openReceiver } from '../receiver.js';
import type { Result, Row } from '../result.js';

const atOnce = 50;
const body = Buffer.from(
  JSON.stringify({ id: 'b34e35ad-fe34-4a8b-977c-b21cd76cd7d6:1', mobile: '918921269000', status: 'DELIVRD' }),
);
const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };

/** What the parts cost alone in this process: bare POSTs with the same client and with the fastest of Node. */
export async function floor({ events, say }: BenchOptions): Promise<Result> {
  const receiver = await openReceiver();
  const agent = new http.Agent({ keepAlive: true, maxSockets: atOnce });
  const options = {
    agent: { http: agent },
    decompress: false,
    followRedirect: false,
    retry: { limit: 0 },
    throwHttpErrors: false,
  };
  const withGot = async () =>
    void (await got.post(`${receiver.origin}/floor`, { ...options, headers, body, responseType: 'buffer' }));
  const withNode = () =>
    new Promise<void>((resolve, reject) => {
      const request = http.request(`${receiver.origin}/floor`, { method: 'POST', agent, headers }, (response) => {
        response.resume().once('end', resolve);
      });
      request.once('error', reject);
      request.end(body);
    });
  const rows: Row[] = [];
  for (const [name, act] of [
    ['got', withGot],
    ['node:http', withNode],
  ] as const) {
    say(`bare POSTs with ${name}`);
    await repeat(act, 2_000);
    rows.push({ client: name, ...(await repeat(act, Math.min(events, 20_000))) });
  }
  agent.destroy();
  receiver.close();
  return { scenario: 'floor', title: 'Floor: bare POSTs to the same receiver from one process', rows };
}

async function repeat(act: () => Promise<void>, count: number): Promise<Row> {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  let left = count;
  const lane = async () => {
    while (left-- > 0) await act();
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const { user, system } = process.cpuUsage(before);
  return { 'requests/s': count / ((performance.now() - startedAt) / 1_000), 'CPU µs': (user + system) / count };
}
