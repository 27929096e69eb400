import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@ringback/testing';
import { ringback } from './cli.js';
import { run, type Running } from './processes.js';

let database: TestDatabase;
let env: NodeJS.ProcessEnv;
let api: Running;
beforeAll(async () => {
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url, QUEUE_PREFIX: `e2e_${randomBytes(6).toString('hex')}`, PORT: '0' };
  api = run('apps/api/dist/main.js', { env });
});
afterAll(async () => {
  await api.stop('SIGKILL');
  await database.drop();
});

const waitFor = async (socket: Socket, part: string) => {
  for (let received = ''; !received.includes(part);) received += String((await once(socket, 'data'))[0]);
};

test('on SIGTERM the API closes unused connections, and still answers a request that is arriving', async () => {
  const [, port] = await api.waitFor(/"base_url":"[^"]+:(\d+)\//);
  const { platform_token: token } = (await ringback(['platform-token', 'create'], { env })) as Record<string, string>;
  const open = () => connect(Number(port), '127.0.0.1').on('error', () => undefined);
  const [unused, idle, busy] = [open(), open(), open()];
  idle.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await waitFor(idle, '"OK"');
  const event = { event: 'sms:message:status', account_id: randomUUID(), payload: { id: 'm-1', status: 'DELIVRD' } };
  const body = JSON.stringify(event);
  const headers = ['Host: x', `Authorization: Bearer ${token}`, 'Content-Type: application/json'];
  const expecting = [...headers, `Content-Length: ${body.length}`, 'Expect: 100-continue'];
  busy.write(`POST /api/v2/events HTTP/1.1\r\n${expecting.join('\r\n')}\r\n\r\n`);
  await waitFor(busy, '100 Continue');
  busy.write(body.slice(0, 10));

  api.child.kill('SIGTERM');
  await Promise.all([once(idle, 'close'), once(unused, 'close')]);
  busy.write(body.slice(10));
  expect(await text(busy)).toMatch(/^HTTP\/1\.1 202 Accepted\r\n/);
  expect(await api.ended).toBe(0);
});
