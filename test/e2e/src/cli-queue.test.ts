import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { createWebhook, openDatabase } from '@ringback/ledger';
import { openQueues, queueNames } from '@ringback/queue';
import { backends, createTestDatabase, type TestDatabase } from '@ringback/testing';
import { ringback, runCli } from './cli.js';

describe.each(backends)('ringback queue on $name', ({ redisUrl }) => {
  let database: TestDatabase;
  let env: NodeJS.ProcessEnv;

  beforeEach(async () => {
    database = await createTestDatabase();
    const prefix = `e2e_${randomBytes(6).toString('hex')}`;
    env = { DATABASE_URL: database.url, REDIS_URL: redisUrl ?? '', QUEUE_PREFIX: prefix };
    const queues = connectQueues();
    const job = { name: 'sms:message:status', data: { payload: { id: 'm-1:1' } } };
    await queues.pushEvents('sms', [job, job]);
    const verify = queues.open('verifications');
    await verify.add('verify', { verificationId: '0199f3a0-8d22-7abc-8def-0123456789ab' }, { delay: 600_000 });
    await queues.enqueueTestCall('0199f3a0-8d22-7abc-8def-0123456789ac');
    await queues.close();
  });
  afterEach(() => database.drop());

  const connectQueues = () => {
    const options = {
      redisUrl,
      databaseUrl: database.url,
      prefix: String(env['QUEUE_PREFIX']),
      redisTimeoutMs: 60_000,
    };
    return openQueues({ ...options, onError: () => undefined });
  };

  const depth = async (name: string) => {
    const rows = (await ringback(['queue'], { env })) as { queue: string }[];
    return rows.find(({ queue }) => queue === name);
  };

  /** Creates an account with a webhook, to which `sendSample` sends an event. */
  const createAccountWithWebhook = async () => {
    const { id } = (await ringback(['account', 'create', '--name', 'acme'], { env })) as { id: string };
    const db = openDatabase({ url: database.url, connections: 1, connectTimeoutMs: 60_000 });
    const hook = { name: 'hook', uri: 'https://x.example/', active: true, secret: null, verificationCode: null };
    const { webhook } = await createWebhook(db, id, { ...hook, bodyTemplate: null, signing: true });
    const sample = ['event', 'sample', 'sms', '--account', id, '--webhook', webhook.id];
    return { db, sendSample: () => ringback(sample, { env }) };
  };

  test('depth prints the number of jobs of each queue and state', async () => {
    expect(await ringback(['queue', 'depth'], { env })).toEqual([
      { queue: 'sms-events', paused: false, waiting: 2, delayed: 0, active: 0 },
      { queue: 'rcs-events', paused: false, waiting: 0, delayed: 0, active: 0 },
      { queue: 'verifications', paused: false, waiting: 0, delayed: 1, active: 0 },
      { queue: 'test-calls', paused: false, waiting: 1, delayed: 0, active: 0 },
    ]);
  });

  test('a paused and resumed queue keeps its jobs', async () => {
    expect(await ringback(['queue', 'pause', 'sms-events'], { env })).toEqual({ queue: 'sms-events', paused: true });
    expect(await depth('sms-events')).toMatchObject({ paused: true, waiting: 2 });
    await ringback(['queue', 'resume', 'sms-events'], { env });
    expect(await depth('sms-events')).toMatchObject({ paused: false, waiting: 2 });
  });

  test('an audit finds an event queue that is paused, and one whose oldest job waits for over a minute', async () => {
    const auditQueues = async () => {
      const { stdout } = await runCli(['audit', '--json'], { env });
      const findings: { kind: string; id: string; problem: string }[] = JSON.parse(stdout).findings;
      return findings.filter(({ kind }) => kind === 'queue').map(({ id, problem }) => `${id}: ${problem}`);
    };
    expect(await auditQueues()).toEqual([]);
    await ringback(['queue', 'drain', 'sms-events', '--yes'], { env });
    const queues = connectQueues();
    await queues.open('sms-events').add('x', {}, { timestamp: Date.now() - 61_000 });
    await queues.open('rcs-events').pause();
    await queues.close();
    expect(await auditQueues()).toEqual([
      'sms-events: is stuck: 1 events wait and none is taken in',
      'rcs-events: the queue is paused',
    ]);
  });

  test('an audit finds verifications without a job, and jobs without a verification', async () => {
    const { id } = (await ringback(['account', 'create', '--name', 'acme'], { env })) as { id: string };
    const db = openDatabase({ url: database.url, connections: 1, connectTimeoutMs: 60_000 });
    const hook = {
      name: 'hook',
      uri: 'https://x.example/',
      active: true,
      secret: null,
      bodyTemplate: null,
      signing: true,
    };
    const { verificationId } = await createWebhook(db, id, { ...hook, verificationCode: 'code' });
    await db.pool.query(`UPDATE verifications SET updated_at = now() - interval '1 hour', next_attempt_at = now()`);
    await ringback(['queue', 'drain', 'verifications', '--yes'], { env });
    const stray = randomUUID();
    const queues = connectQueues();
    await queues.enqueueVerification(stray);
    const audit = async () => {
      const { stdout } = await runCli(['audit', '--json'], { env });
      const findings: { kind: string; id: string; problem: string }[] = JSON.parse(stdout).findings;
      return findings.filter(({ kind }) => kind === 'verification').map(({ id: which, problem }) => [which, problem]);
    };
    const orphaned = [stray, 'has a job but no row'];
    expect(await audit()).toEqual([[verificationId, 'is pending but has no job'], orphaned]);
    await queues.enqueueVerification(String(verificationId));
    expect(await audit()).toEqual([orphaned]);
    await db.pool.query(`UPDATE verifications SET next_attempt_at = now() - interval '2 minutes'`);
    expect(await audit()).toEqual([[verificationId, 'pending, and overdue by more than a minute'], orphaned]);
    await queues.close();
    await db.close();
  });

  test('a delivery needs no job: an audit finds nothing after every queue is drained', async () => {
    const { db, sendSample } = await createAccountWithWebhook();
    await sendSample();
    await db.pool.query(`UPDATE deliveries SET updated_at = updated_at - interval '1 hour'`);
    for (const name of queueNames) await ringback(['queue', 'drain', name, '--yes'], { env });
    expect(await ringback(['audit'], { env })).toMatchObject({ deliveries: { pending: 1 }, findings: [] });
    await db.close();
  });

  test('an audit exits with 1 and lists overdue deliveries, unless --since excludes them', async () => {
    const { db, sendSample } = await createAccountWithWebhook();
    for (const name of ['verifications', 'sms-events']) await ringback(['queue', 'drain', name, '--yes'], { env });
    await sendSample();
    const audit = async (args: string[] = []) => {
      const { code, stdout } = await runCli(['audit', '--json', ...args], { env });
      const findings: { id: string; problem: string }[] = JSON.parse(stdout).findings;
      return { code, problems: findings.map(({ problem }) => problem) };
    };
    expect(await audit()).toEqual({ code: 0, problems: [] });
    const anHourAgo = `clock_timestamp() - interval '1 hour'`;
    await db.pool.query(`UPDATE deliveries SET due_at = ${anHourAgo}, updated_at = ${anHourAgo}`);
    const stuck = 'pending, and nothing was done for its webhook for five minutes';
    expect(await audit()).toEqual({ code: 1, problems: [stuck] });
    const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString();
    expect(await audit(['--since', tomorrow])).toEqual({ code: 0, problems: [] });
    await db.close();
  });

  test.each([
    ['sms-events', 2, /has 2 jobs; these events .* would be LOST; add --yes/],
    ['verifications', 1, /has 1 jobs; workers create them again/],
    ['test-calls', 1, /has 1 jobs; the requests that wait for these test calls would get no result/],
  ])('drain of %s warns and removes nothing without --yes', async (name, removed, warning) => {
    const refused = await runCli(['queue', 'drain', name], { env });
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([1, '', expect.stringMatching(warning)]);
    expect(await ringback(['queue', 'drain', name, '--yes'], { env })).toEqual({ queue: name, removed });
    expect(await depth(name)).toMatchObject({ waiting: 0, delayed: 0 });
  });
});

test('ringback completion completes commands, names and options in bash', async () => {
  const { code, stdout } = await runCli(['completion']);
  expect(code).toBe(0);
  const complete = (line: string) => {
    const words = line.split(' ');
    const set = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`;
    const script = `${stdout}\n${set}; _ringback; echo "\${COMPREPLY[@]}"`;
    return spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' }).stdout.trim();
  };
  expect(complete('ringback que')).toBe('queue');
  expect(complete('ringback queue ')).toMatch(/^depth pause resume drain /);
  expect(complete('ringback queue drain sms-')).toBe('sms-events');
  expect(complete('ringback queue drain sms-events --y')).toBe('--yes');
  expect(complete('ringback listen --for')).toBe('--forward');
});
