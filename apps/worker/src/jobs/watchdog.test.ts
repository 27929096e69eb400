import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openQueues, type Queues } from '@ringback/queue';
import { startTcpProxy, redisUrl, type RedisServer, startRedis, type TcpProxy, until } from '@ringback/testing';

const program = fileURLToPath(new URL('./watchdog.fixture.js', import.meta.url));

(redisUrl() === undefined ? describe.skip : describe)('a consumer that is idle', () => {
  let redis: RedisServer;
  let proxy: TcpProxy;
  let queues: Queues;
  let child: ChildProcess;
  let output: string;
  const push = () => queues.enqueueVerification(randomUUID());
  const countLogged = (event: string) => output.split(`"message":"${event}"`).length - 1;
  const waitUntilTaken = (count: number) =>
    until(
      () => countLogged('job.taken') === count,
      () => `${count} jobs are taken; the process said ${output}`,
    );

  beforeEach(async () => {
    redis = await startRedis();
    proxy = await startTcpProxy(redis.url);
    queues = openQueues({
      redisUrl: redis.url,
      databaseUrl: '',
      prefix: 'test',
      redisTimeoutMs: 60_000,
      onError: () => undefined,
    });
    output = '';
    child = fork(program, [proxy.proxyUrlFor(redis.url), redis.url], { silent: true });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    await once(child, 'message');
    await push();
    await waitUntilTaken(1);
  });

  afterEach(async () => {
    child.kill('SIGKILL');
    await queues.close();
    await proxy.close();
    await redis.remove();
  });

  test('is restarted while jobs wait, and fetches again', async () => {
    // From now on, open connections are dead without reporting an error.
    proxy.dropTraffic();
    proxy.pass();
    await push();
    await waitUntilTaken(2);
    expect(countLogged('consumer.stuck')).toBe(1);
    await push();
    await waitUntilTaken(3);
    expect([countLogged('consumer.stuck'), child.exitCode]).toEqual([1, null]);
  });

  test('ends its process when jobs still wait after a restart', async () => {
    proxy.dropTraffic();
    await push();
    await once(child, 'close');
    expect([child.exitCode, countLogged('consumer.stuck'), countLogged('job.taken')]).toEqual([1, 1, 1]);
    expect(output).toContain(
      'ringback: the queue verifications has waiting jobs but gives none to this worker, which ends so that its supervisor restarts it\n',
    );
  });

  test('is not restarted while no job waits', async () => {
    await sleep(2_500);
    await push();
    await waitUntilTaken(2);
    expect([countLogged('consumer.stuck'), child.exitCode]).toEqual([0, null]);
  });
});
