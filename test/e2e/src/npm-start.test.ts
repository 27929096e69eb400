import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from '@ringback/rules';
import { startReceiver, type Receiver } from '@ringback/receiver';
import { customer } from './api.js';
import { ringback, run, type Running } from './processes.js';

// What `npm start` runs after it has built everything, in a folder of its own.
let home: string;
let receiver: Receiver;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'ringback-start-'));
  receiver = await startReceiver();
});

afterAll(async () => {
  await receiver.close();
  rmSync(home, { recursive: true, force: true });
});

const start = () => run('apps/cli/dist/dev/main.js', { cwd: home, env: { PORT: '0' } });
const addressOf = async (running: Running) => {
  const [baseUrl = ''] = await running.waitFor(/http:\/\/localhost:\d+\/api\/v2/);
  const [token = ''] = await running.waitFor(/rb_access_[\w-]+/);
  await running.waitFor(/event sample sms --account/);
  return { baseUrl, call: customer(baseUrl, token) };
};

test('npm start delivers a callback, ends on Ctrl-C, and finds its data when it starts again', async () => {
  const first = start();
  const { baseUrl, call } = await addressOf(first);
  const created = await call('POST', '/developer/webhooks', { name: 'first', uri: `${receiver.origin}/in` });
  expect(created.status).toBe(200);
  const { id } = created.body.data;
  const { id: accountId } = ((await ringback(['account', 'list'], { cwd: home })) as { id: string }[])[0]!;
  await ringback(['event', 'sample', 'sms', '--account', accountId, '--webhook', id], { cwd: home });
  const [received] = await receiver.waitFor(1);
  expect(received!.headers.signature).toBe(sign(received!.body, id));
  expect(statSync(join(home, '.data/demo.json')).mode & 0o077).toBe(0);
  const [, session] = await first.waitFor(/Portal: http:\/\/localhost:\d+\/portal\/#session=(\S+)/);
  const exchanged = await call('POST', '/portal-sessions/exchange', { session });
  expect(exchanged.body.data).toMatchObject({ account: { id: accountId, name: 'demo' }, webhook_ids: null });

  const meanwhile = start();
  expect(await meanwhile.ended).toBe(1);
  expect(meanwhile.output().trim().split('\n')).toHaveLength(1);

  expect(await first.stop('SIGINT')).toBe(0);
  await expect(fetch(baseUrl)).rejects.toThrow();
  expect(existsSync(join(home, '.data/running.json'))).toBe(false);

  const second = start();
  const again = await addressOf(second);
  expect((await again.call('GET', `/developer/webhooks/${id}`)).body.data.name).toBe('first');

  second.child.kill('SIGKILL');
  await second.ended;
  const third = start();
  const after = await addressOf(third);
  expect((await after.call('GET', `/developer/webhooks/${id}`)).status).toBe(200);
  expect(await third.stop('SIGTERM')).toBe(0);
});
