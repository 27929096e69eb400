import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpProxy } from '@ringback/testing';
import { requireUnavailable } from '../probe.js';
import type { Stage, Story } from '../story.js';
import { openTraffic } from '../traffic.js';

/** The network to Redis becomes a black hole; the connections of before never speak again. */
export const redisBlackHole: Story = {
  name: 'redis-black-hole',
  title: 'the network to Redis drops all packets for 30 s: no event is lost',
  backends: ['redis'],
  play: (stage) => play(stage, { variable: 'REDIS_URL', withinMs: 2_000, recoveredWithinMs: 40_000 }),
};

/** The same between everything and PostgreSQL. A worker gives a statement 30 s, so that it can wait for a lock. */
export const postgresBlackHole: Story = {
  name: 'postgres-black-hole',
  title: 'the network to PostgreSQL drops all packets for 30 s: no event is lost',
  backends: ['redis', 'postgres'],
  play: (stage) => play(stage, { variable: 'DATABASE_URL', withinMs: 3_000, recoveredWithinMs: 60_000 }),
};

type Hole = { variable: 'REDIS_URL' | 'DATABASE_URL'; withinMs: number; recoveredWithinMs: number };

async function play(stage: Stage, { variable, withinMs, recoveredWithinMs }: Hole): Promise<void> {
  const url = stage.env[variable] ?? '';
  const proxy = await stage.openProxy(url);
  const through = proxy.through(url);
  const { api, workers, loads, stop } = await openTraffic(stage, { env: { [variable]: through } });
  stage.require(!(await isMute(through)), 'the server is mute before the fault');
  await requireUnavailable(stage, {
    api,
    workers,
    withinMs,
    readable: variable === 'REDIS_URL',
    act: () => fall(stage, proxy, through),
  });
  await sleep(1_000);
  await stop();
  // Where the queue is in PostgreSQL too, locks run out with the calls unrecorded: another worker may make them again.
  const maxDuplicates = stage.backend === 'postgres' ? 2 * Number(stage.env.WORKER_CONCURRENCY) : 0;
  await stage.settle(loads, { withinMs: 200_000, maxDuplicates });
  stage.requireWithin(recoveredWithinMs, stage.recoveryS() * 1_000, 'recovery');
}

async function fall(stage: Stage, proxy: TcpProxy, through: string): Promise<void> {
  proxy.swallow();
  if (await isMute(through)) stage.recordFault('nothing comes through');
  await sleep(stage.bySize({ small: 12_000, normal: 30_000, full: 30_000 }));
  proxy.pass();
  if (!(await isMute(through))) stage.recordFault('the network is back');
}

/** Whether a server that says something to everybody says nothing for a second, and does not hang up either. */
function isMute(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write('PING\r\n\r\n'));
    const end = (mute: boolean) => {
      socket.destroy();
      resolve(mute);
    };
    socket.setTimeout(1_000, () => end(true));
    for (const event of ['data', 'close', 'error']) socket.once(event, () => end(false));
  });
}
