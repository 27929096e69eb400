import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@ringback/embedded';
import { createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import { customer } from './api.js';
import { ringback, runCli } from './cli.js';
import { root, run, type Running, watch } from './processes.js';

const program = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx'].find((file) => existsSync(file));
const guide = readFileSync(join(root, 'docs/operate/scale.md'), 'utf8');
const blocks = [...guide.matchAll(/^```(nginx|sh)\n([\s\S]*?)^```$/gm)].map(([, language, code = '']) => ({
  language,
  code,
}));
const [config, bulk, cutOver, pointers, ...others] = blocks.map(({ code }) => code);

test('every block of the guide is in the test', () => {
  expect(blocks.map(({ language }) => language)).toEqual(['nginx', 'sh', 'sh', 'sh']);
  expect(others).toEqual([]);
});

type Installation = { database: TestDatabase; env: NodeJS.ProcessEnv; port: number; processes: Running[] };
type Callback = { message: string; webhook: string; delivery: string };

// The commands of the guide start a dozen processes, one after the other.
const maxMs = 600_000;

const describeWithNginx = program ? describe : describe.skip;

describeWithNginx('two installations behind the router of the guide', () => {
  let folder: string;
  let a: Installation;
  let b: Installation;
  let router: string;
  let nginx: ReturnType<typeof spawn>;
  let receiver: Server;
  let platformToken: string;
  const callbacks: Callback[] = [];
  /** Paths of the receiver that answer 500. */
  const failing = new Set<string>();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ringback-two-'));
    receiver = await startReceiver(callbacks, failing);
    [a, b] = await Promise.all([startInstallation(), startInstallation()]);
    separateIds({ A: a, B: b });
    platformToken = await sharePlatformToken(a, b);
    const port = await findFreePort();
    router = `http://127.0.0.1:${port}/api/v2`;
    nginx = startNginx(folder, { config: config ?? '', port, a: a.port, b: b.port });
    await until(
      async () => (await fetch(`${router}/developer/webhooks`).catch(() => null))?.status === 401,
      'it routes',
    );
  });
  afterAll(async () => {
    const ended = new Promise((resolve) => nginx.on('exit', resolve));
    nginx.kill('SIGTERM');
    await ended;
    for (const { processes, database } of [a, b]) {
      await Promise.all(processes.map((process) => process.stop()));
      await database.drop();
    }
    receiver.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('a body of NDJSON as large as the API takes passes the router', async () => {
    const body = `"${'x'.repeat(6_500)}"\n`.repeat(10_000);
    const headers = { Authorization: `Bearer ${platformToken}`, 'Content-Type': 'application/x-ndjson' };
    const response = await fetch(`${router}/events`, { method: 'POST', headers, body });
    expect(response.status).toBe(202);
    expect((await response.text()).split('"state":"invalid"')).toHaveLength(10_001);
  });

  test(
    'an account moves while its events are pushed: none is lost, none is sent twice',
    async () => {
      const { port } = receiver.address() as AddressInfo;
      const moving = await createCustomer(a, `http://127.0.0.1:${port}/moving`);
      const staying = await createCustomer(a, `http://127.0.0.1:${port}/staying`);
      await createCustomer(b, `http://127.0.0.1:${port}/there-before`);
      const platform = new Platform(router, platformToken, [moving.account, staying.account]);
      await platform.pushUntil(100);
      expect(platform.heldCount).toBe(0);

      // A delivery whose receiver fails is under way, and ends where it began.
      failing.add('/moving');
      await platform.push(moving.account, 'm-before');
      await until(() => callbacks.some(({ message }) => message === 'm-before'), 'its first attempt');
      const pushing = platform.start();
      await platform.pushed(20);
      await new Shell(folder, { a, b, ACCOUNT: moving.account }).run(`${bulk}${cutOver}${pointers}`);
      await platform.pushed(40);
      failing.delete('/moving');
      await pushing.stop();

      const own = customer(router, moving.token);
      // The customer's token leads to the account's new home, whatever the client knows.
      const name = `renamed ${randomUUID()}`;
      await own('PATCH', `/developer/webhooks/${moving.webhook}`, { name });
      const there = customer(`http://127.0.0.1:${b.port}/api/v2`, moving.token);
      expect((await there('GET', `/developer/webhooks/${moving.webhook}`)).body.data.name).toBe(name);
      expect((await customer(router, staying.token)('GET', '/developer/webhooks')).body.data).toHaveLength(1);
      expect((await customer(router, 'nonsense')('GET', '/developer/webhooks')).status).toBe(401);

      // Whatever was pushed before is a duplicate now, also where it never was.
      await platform.repeatAll();
      await until(async () => (await countPending(a)) + (await countPending(b)) === 0, 'nothing is pending');
      const delivered = new Map<string, Set<string>>();
      for (const { message, webhook, delivery } of callbacks) {
        const key = `${webhook} ${message}`;
        delivered.set(key, (delivered.get(key) ?? new Set()).add(delivery));
      }
      const expected = platform.acknowledged.map(({ account, message }) => {
        return `${account === moving.account ? moving.webhook : staying.webhook} ${message}`;
      });
      expect(expected.filter((key) => !delivered.has(key))).toEqual([]);
      expect([...delivered.keys()].filter((key) => !expected.includes(key))).toEqual([]);
      // A retry has the id of its delivery, so a second id is a second delivery.
      expect([...delivered].filter(([, ids]) => ids.size > 1)).toEqual([]);
      expect(platform.heldCount).toBeGreaterThan(0);

      const stored = await Promise.all(
        [a, b].map(({ env }) => ringback(['event', 'list', '--account', moving.account, '--limit', '10000'], { env })),
      );
      const [inA = [], inB = []] = stored.map((events) =>
        (events as { message_id: string | null }[]).map(({ message_id: id }) => id),
      );
      expect(inA).toContain('m-before');
      expect(inB).not.toContain('m-before');
      const timeline = await own('GET', '/developer/messages/m-before');
      expect(timeline.body.data).toEqual({
        ...{ message_id: 'm-before', events: [], other_installation: 'https://a.ringback.example.com/' },
      });
      const old = await customer(`http://127.0.0.1:${a.port}/api/v2`, moving.token)(
        'GET',
        '/developer/messages/m-before',
      );
      expect(old.body.data).toMatchObject({
        events: [{ deliveries: [{ state: 'delivered' }] }],
        other_installation: 'https://b.ringback.example.com/',
      });
      for (const { env } of [a, b]) await ringback(['audit'], { env });

      // The way back, although the account was deleted where it came from.
      await own('DELETE', `/developer/subscriptions/${(await own('GET', '/developer/subscriptions')).body.data[0].id}`);
      const event = 'sms:message:status';
      await own('POST', '/developer/subscriptions', { event, webhook_id: moving.webhook, identity: 'all' });
      await ringback(['account', 'delete', moving.account], { env: a.env });
      await new Shell(folder, { a, b, ACCOUNT: moving.account }).run(wayBackOf(`${bulk}${cutOver}`));
      const tokens = await ringback(['token', 'list', '--account', moving.account], { env: b.env });
      for (const { id } of tokens as { id: string }[]) await ringback(['token', 'revoke', id], { env: b.env });
      const answers = await Promise.all(
        ['/developer/webhooks', '/developer/subscriptions'].map(async (path) => [
          (await own('GET', path)).body.data,
          (await customer(`http://127.0.0.1:${a.port}/api/v2`, moving.token)('GET', path)).body.data,
        ]),
      );
      for (const [routed, inA] of answers) expect([routed, routed.length]).toEqual([inA, 1]);
      const sent = callbacks.length;
      await platform.repeatAll();
      await platform.push(moving.account, 'm-back');
      await until(async () => (await countPending(a)) === 0, 'nothing is pending');
      expect(callbacks.slice(sent)).toMatchObject([{ message: 'm-back', webhook: moving.webhook }]);
    },
    maxMs,
  );

  test(
    'the keys of the events are what keeps a report that is pushed to both from being sent twice',
    async () => {
      const { port } = receiver.address() as AddressInfo;
      const { account: account_id } = await createCustomer(a, `http://127.0.0.1:${port}/keys`);
      const push = async (installation: Installation, message: string) => {
        const platform = customer(`http://127.0.0.1:${installation.port}/api/v2`, platformToken);
        const event = { event: 'sms:message:status', account_id, event_id: message, payload: { id: message } };
        return (await platform('POST', '/events', event)).body.data[0].state;
      };
      const move = async (moves: (line: string) => boolean) => {
        const { stdout } = await runCli(['export', '--account', account_id, '--with-secrets'], { env: a.env });
        const input = stdout.split('\n').filter(moves).join('\n');
        expect(await runCli(['import'], { env: b.env, input })).toMatchObject({ code: 0 });
      };
      const sent = (message: string) => new Set(callbacks.filter((call) => call.message === message).map(idOf)).size;
      expect(await push(a, 'without-keys')).toBe('accepted');
      await until(() => sent('without-keys') === 1, 'the callback of a');
      await move((line) => !line.startsWith('{"type":"event_key"'));
      expect(await push(b, 'without-keys')).toBe('accepted');
      await until(() => sent('without-keys') === 2, 'the callback of b');
      expect(await push(a, 'with-keys')).toBe('accepted');
      await move(() => true);
      expect(await push(b, 'with-keys')).toBe('duplicate');
    },
    maxMs,
  );
});

/** The commands of a move with a and b exchanged, as the guide describes the way back. */
const wayBackOf = (commands: string) =>
  commands
    .replace(/\bin_([ab]) /g, (_, name) => (name === 'a' ? 'in_b ' : 'in_a '))
    .replace(/^echo .* >>/m, 'sed -i "s/^$ACCOUNT b;/$ACCOUNT moving;/"')
    .replace('"s/^$ACCOUNT moving;/$ACCOUNT b;/"', '"/^$ACCOUNT /d"');

const idOf = ({ delivery }: Callback) => delivery;

async function startReceiver(callbacks: Callback[], failing: Set<string>): Promise<Server> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const { id } = JSON.parse(body) as { id: string };
      const delivery = String(request.headers['x-ringback-delivery']);
      const [, webhook = ''] = /webhook=([^&]*)/.exec(request.url ?? '') ?? [];
      callbacks.push({ message: id, webhook, delivery });
      response.writeHead(failing.has((request.url ?? '').split('?')[0] ?? '') && id === 'm-before' ? 500 : 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function startInstallation(): Promise<Installation> {
  const database = await createTestDatabase();
  const port = await findFreePort();
  const env = {
    DATABASE_URL: database.url,
    SECRETS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    QUEUE_PREFIX: `e2e_${randomBytes(6).toString('hex')}`,
    PORT: String(port),
    EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
    API_RATE_LIMIT_PER_MINUTE: '100000',
    // A retry every 5 s, for longer than a move takes on a busy machine.
    RETRY_TIME_SCALE: '0.001',
    SMS_RETRY_INTERVAL_S: '5000',
    SMS_RETRIES: '100',
  };
  const api = run('apps/api/dist/main.js', { env });
  const worker = run('apps/worker/dist/main.js', { env });
  await Promise.all([api.waitFor(/"base_url":/), worker.waitFor(/worker\.started/)]);
  return { database, env, port, processes: [api, worker] };
}

/** Writes the configuration of the guide, with the ports of the test, and starts nginx with it. */
function startNginx(folder: string, { config, port, a, b }: { config: string; port: number; a: number; b: number }) {
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'accounts.map'), '');
  const servers = config
    .replace('/etc/nginx/ringback-accounts.map', join(folder, 'accounts.map'))
    .replace('10.0.0.11:3000', `127.0.0.1:${a}`)
    .replace('10.0.0.12:3000', `127.0.0.1:${b}`)
    .replace('listen 8080', `listen 127.0.0.1:${port}`);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const file = join(folder, 'nginx.conf');
  const text = `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; worker_processes 1;
    events {} http { access_log off; ${paths.join(' ')}\n${servers} }`;
  writeFileSync(file, text);
  const command = `#!/bin/sh\nexec ${program} -c '${file}' -e '${folder}/error.log' "$@"\n`;
  writeFileSync(join(folder, 'bin/nginx'), command);
  chmodSync(join(folder, 'bin/nginx'), 0o755);
  return spawn(join(folder, 'bin/nginx'), { stdio: 'ignore' });
}

/** Runs shell commands of the guide. */
class Shell {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(folder: string, { a, b, ACCOUNT }: { a: Installation; b: Installation; ACCOUNT: string }) {
    this.#folder = folder;
    for (const [name, { env }] of Object.entries({ a, b })) {
      const lines = ['DATABASE_URL', 'SECRETS_KEYS'].map((variable) => `${variable}=${env[variable]}`);
      writeFileSync(join(folder, `${name}.env`), lines.join('\n'));
    }
    const npx = `#!/bin/sh\nshift\nexec '${process.execPath}' '${join(root, 'apps/cli/dist/main.js')}' "$@"\n`;
    writeFileSync(join(folder, 'bin/npx'), npx, { mode: 0o755 });
    const { NODE_OPTIONS: _ours, DATABASE_URL: _database, REDIS_URL: _redis, ...inherited } = process.env;
    this.#env = { ...inherited, ACCOUNT, PATH: `${folder}/bin:${process.env.PATH}` };
  }

  async run(code: string): Promise<void> {
    const adapted = code
      .replaceAll('/etc/nginx/ringback-accounts.map', `${this.#folder}/accounts.map`)
      .replaceAll('/run/nginx.pid', `${this.#folder}/nginx.pid`);
    const shell = watch(spawn('bash', ['-exc', adapted], { cwd: this.#folder, env: this.#env }));
    if ((await shell.ended) !== 0) throw new Error(shell.output());
  }
}

async function createCustomer({ env, port }: Installation, uri: string) {
  const { id: account, access_token: token } = (await ringback(['account', 'create', '--name', 'moving'], { env })) as {
    id: string;
    access_token: string;
  };
  const call = customer(`http://127.0.0.1:${port}/api/v2`, token);
  const { id: webhook } = (await call('POST', '/developer/webhooks', { name: 'w', uri })).body.data;
  await call('PUT', `/developer/webhooks/${webhook}`, { name: 'w', uri: `${uri}?webhook=${webhook}` });
  await call('POST', '/developer/subscriptions', { event: 'sms:message:status', webhook_id: webhook });
  return { account, token, webhook: String(webhook) };
}

/** Runs the commands of the guide that give each installation ids of its own. */
function separateIds(installations: { A: Installation; B: Installation }): void {
  const commands = [...guide.matchAll(/`psql "\$([AB])" -c '(ALTER SEQUENCE [^']+)'`/g)];
  for (const [, name, sql = ''] of commands) {
    const { database } = installations[name as 'A' | 'B'];
    expect(spawnSync('psql', [database.url, '-c', sql]).status).toBe(0);
  }
}

/** Creates a platform token in one installation and copies it to the other, as the guide says. */
async function sharePlatformToken(a: Installation, b: Installation): Promise<string> {
  const created = await ringback(['platform-token', 'create'], { env: a.env });
  const { platform_token: token } = created as { platform_token: string };
  const { stdout } = spawnSync('psql', [a.database.url, '-c', 'COPY platform_tokens TO STDOUT']);
  const copied = spawnSync('psql', [b.database.url, '-c', 'COPY platform_tokens FROM STDIN'], { input: stdout });
  expect(copied.status).toBe(0);
  return token;
}

async function countPending({ env }: Installation): Promise<number> {
  return ((await ringback(['delivery', 'list', '--state', 'pending'], { env })) as unknown[]).length;
}

type Pushed = { account: string; message: string };

/** A platform that pushes each event until it is acknowledged, and every third one twice. */
class Platform {
  readonly acknowledged: Pushed[] = [];
  heldCount = 0;
  readonly #router: string;
  readonly #token: string;
  readonly #accounts: string[];
  #created = 0;

  constructor(router: string, token: string, accounts: string[]) {
    this.#router = router;
    this.#token = token;
    this.#accounts = accounts;
  }

  async push(account: string, message: string): Promise<void> {
    const event = { event: 'sms:message:status', account_id: account, event_id: message, payload: { id: message } };
    for (;;) {
      const status = await this.#post(event);
      if (status === 202) break;
      // A platform repeats what was refused for now, and what has no answer.
      if (status === 503) this.heldCount++;
      else if (status !== null) throw new Error(`an event was answered with ${status}`);
      await sleep(50);
    }
    if (!this.acknowledged.some((pushed) => pushed.message === message)) this.acknowledged.push({ account, message });
  }

  /** The status of the answer; null when there was none. */
  async #post(event: { account_id: string }): Promise<number | null> {
    const headers = {
      authorization: `Bearer ${this.#token}`,
      'content-type': 'application/json',
      'x-account-id': event.account_id,
    };
    const request = { method: 'POST', headers, body: JSON.stringify(event) };
    try {
      const response = await fetch(`${this.#router}/events`, request);
      await response.text();
      return response.status;
    } catch {
      return null;
    }
  }

  /** Pushes events until so many are acknowledged. */
  async pushUntil(count: number): Promise<void> {
    while (this.acknowledged.length < count) await this.#pushNext();
  }

  /** Pushes events, several at once, until it is stopped. */
  start() {
    let isStopped = false;
    const pushAll = async () => {
      // Some 100 events a second, so that the move and not the load takes the time.
      while (!isStopped) await Promise.all([this.#pushNext(), sleep(40)]);
    };
    const pushing = Promise.all([pushAll(), pushAll(), pushAll(), pushAll()]);
    pushing.catch(() => undefined);
    return {
      stop: async () => {
        isStopped = true;
        await pushing;
      },
    };
  }

  /** Resolves when so many more events are acknowledged. */
  async pushed(count: number): Promise<void> {
    const wanted = this.acknowledged.length + count;
    await until(() => this.acknowledged.length >= wanted, `${count} more events are acknowledged`);
  }

  async repeatAll(): Promise<void> {
    for (const { account, message } of [...this.acknowledged]) await this.push(account, message);
  }

  async #pushNext(): Promise<void> {
    const number = this.#created++;
    const account = this.#accounts[number % this.#accounts.length] ?? '';
    await this.push(account, `m-${number}`);
    if (number % 3 === 0) await this.push(account, `m-${number}`);
  }
}
