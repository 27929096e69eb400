import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisServer } from '@ringback/testing';
import { awaitState } from '../await-state.js';
import { requireUnavailable } from '../probe.js';
import type { Stage, Story } from '../story.js';
import { openTraffic, requireQuickRefusals } from '../traffic.js';

const killing = {
  begin: (redis: RedisServer) => redis.kill(),
  end: (redis: RedisServer) => redis.start(),
  begun: 'Redis was killed',
  ended: 'Redis is back',
};

/** Redis is killed and comes back with its data. */
export const redisKilled: Story = outage({
  ...killing,
  name: 'redis-killed',
  title: 'Redis is killed and back after 3 s: no event is lost',
  awayMs: (stage) => stage.bySize({ test: 1_000, small: 3_000, normal: 3_000, full: 3_000 }),
  recoveredWithinS: 12,
});

/** Redis is away for longer than a job's lock. */
export const redisAway: Story = outage({
  ...killing,
  name: 'redis-away',
  title: 'Redis is killed and back after 20 s: no event is lost',
  awayMs: () => 20_000,
  recoveredWithinS: 40,
});

/**
 * Redis keeps its connections and answers nothing: the API says so soon, and nothing is lost. Locks run out meanwhile, and
 * another worker may take a job whose call is still under way.
 */
export const redisFrozen: Story = outage({
  name: 'redis-frozen',
  title: 'Redis is frozen for 15 s: no event is lost',
  begin: (redis) => redis.freeze(),
  end: (redis) => redis.thaw(),
  begun: 'Redis is frozen',
  ended: 'Redis goes on',
  awayMs: (stage) => stage.bySize({ small: 6_000, normal: 15_000, full: 15_000 }),
});

type Outage = Pick<Story, 'name' | 'title'> & {
  begin(redis: RedisServer): unknown;
  end(redis: RedisServer): unknown;
  begun: string;
  ended: string;
  awayMs(stage: Stage): number;
  recoveredWithinS?: number;
};

function outage({ name, title, begin, end, begun, ended, awayMs, recoveredWithinS }: Outage): Story {
  return {
    name,
    title,
    backends: ['redis'],
    async play(stage) {
      const redis = redisOf(stage);
      const { api, workers, loads, stop } = await openTraffic(stage);
      const act = async () => {
        await begin(redis);
        await requireRefusal(redis, 'PING');
        stage.recordFault(begun);
        await sleep(awayMs(stage));
        await end(redis);
        stage.recordFault(ended);
      };
      await requireUnavailable(stage, { api, workers, withinMs: 1_500, readable: true, act });
      await sleep(1_000);
      await stop();
      requireQuickRefusals(stage, loads);
      await stage.settle(loads, { withinMs: 90_000 });
      if (recoveredWithinS !== undefined)
        stage.requireWithin(recoveredWithinS * 1_000, stage.recoveryS() * 1_000, 'recovery');
    },
  };
}

/** Connections to Redis break again and again, and it is never away. */
export const redisCut: Story = {
  name: 'redis-cut',
  title: 'all connections to Redis are cut repeatedly: no event is lost',
  backends: ['redis'],
  async play(stage) {
    const redis = redisOf(stage);
    const { loads, stop } = await openTraffic(stage);
    for (let round = 0; round < stage.bySize({ small: 5, normal: 15, full: 40 }); round++) {
      const cut = Number((await redis.command('CLIENT KILL TYPE normal SKIPME yes')).slice(1));
      if (cut > 0) stage.recordFault(`${cut} connections were cut`);
      await sleep(500);
    }
    await sleep(1_000);
    await stop();
    await stage.settle(loads);
    stage.note(`${loads.flatMap(({ refusals }) => refusals).length} pushes were repeated`);
    stage.requireWithin(30_000, stage.recoveryS() * 1_000, 'recovery');
  },
};

/** Redis refuses to write: as a replica after a failover, and when it is full. */
export const redisRefusing: Story = {
  name: 'redis-refusing',
  title: 'Redis is read-only, then out of memory: no acknowledged event is lost',
  backends: ['redis'],
  async play(stage) {
    const redis = redisOf(stage);
    const { api, workers, loads, stop } = await openTraffic(stage);
    const lastsMs = stage.bySize({ small: 3_000, normal: 6_000, full: 12_000 });
    const deeds = [
      { set: 'REPLICAOF 127.0.0.1 1', unset: 'REPLICAOF NO ONE', says: '-READONLY' },
      { set: 'CONFIG SET maxmemory 1mb', unset: 'CONFIG SET maxmemory 0', says: '-OOM' },
    ];
    for (const { set, unset, says } of deeds) {
      const act = async () => {
        await redis.command(set);
        const answer = await redis.command('SET faults:probe 1');
        if (answer.startsWith(says)) stage.recordFault(`Redis says ${says}`);
        else stage.require(false, `Redis says ${answer}, not ${says}`);
        await sleep(lastsMs);
        await redis.command(unset);
        await awaitState('Redis writes again', async () => (await redis.command('SET faults:probe 1')) === '+OK');
        stage.recordFault(`Redis writes again`);
      };
      await requireUnavailable(stage, { api, workers, withinMs: 1_500, readable: true, act });
      await sleep(500);
    }
    await stop();
    requireQuickRefusals(stage, loads);
    await stage.settle(loads, { withinMs: 90_000 });
  },
};

/**
 * Redis loses everything while retries wait. No delivery has a job, so each retry is made at its time, and nothing has to be
 * found again.
 */
export const flushAll: Story = {
  name: 'flushall',
  title: 'FLUSHALL while retries wait: retries are made on time',
  backends: ['redis'],
  // SMS is retried after 18 s, RCS after 0.1 and 1 s.
  env: { RETRY_TIME_SCALE: '0.01' },
  async play(stage) {
    const redis = redisOf(stage);
    const { recorder } = stage;
    recorder.behave(({ attempt }) => ({ status: attempt === 1 ? 500 : 200 }));
    await stage.startWorker();
    await stage.startWorker();
    const load = stage.openLoad();
    const count = stage.bySize({ small: 200, normal: 1_000, full: 3_000 });
    await load.push(count);
    await awaitState(
      'every event was tried once',
      () => recorder.calls.filter(({ attempt }) => attempt === 1).length >= count,
    );
    const keys = await redis.command('DBSIZE');
    await redis.command('FLUSHALL');
    const left = await redis.command('DBSIZE');
    // What is left are the keys that workers write while they wait for jobs.
    if (Number(keys.slice(1)) > 0 && Number(left.slice(1)) < 50)
      stage.recordFault(`FLUSHALL took ${keys} keys and left ${left}`);
    const later = stage.openLoad();
    await later.push(count / 10);
    await stage.settle([load, later], { withinMs: 90_000 });
    requireWaits(stage, { minMs: 18_000, maxMs: 18_000 + 5_000 });
  },
};

function requireWaits(stage: Stage, { minMs, maxMs }: { minMs: number; maxMs: number }): void {
  const first = new Map<string, number>();
  const waits: number[] = [];
  for (const { delivery, attempt, at, message } of stage.recorder.calls) {
    if (attempt === 1) first.set(delivery, at);
    const from = first.get(delivery);
    // Only an SMS report's id has a colon.
    if (attempt === 2 && from !== undefined && message.includes(':')) waits.push(at - from);
  }
  const [least, most] = [Math.min(...waits), Math.max(...waits)];
  stage.require(least >= minMs && most <= maxMs, `retries came after ${least} to ${most} ms`);
  stage.note(`retries came after ${(least / 1_000).toFixed(1)} to ${(most / 1_000).toFixed(1)} s`);
}

export function redisOf({ redis }: Stage): RedisServer {
  if (redis === undefined) throw new Error('this story is on Redis');
  return redis;
}

async function requireRefusal(redis: RedisServer, words: string): Promise<void> {
  const answer = await redis.command(words).catch(() => undefined);
  if (answer !== undefined) throw new Error(`Redis is meant to be away and says ${answer}`);
}
