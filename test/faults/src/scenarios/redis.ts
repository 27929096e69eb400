import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisServer } from '@ringback/testing';
import { requireQuickRefusals, requireUnavailable, startTraffic } from '../outage.js';
import { awaitState, type Scenario, type ScenarioContext } from '../scenario.js';

const killing = {
  inject: (redis: RedisServer) => redis.kill(),
  recover: (redis: RedisServer) => redis.start(),
  injectedMessage: 'Redis was killed',
  recoveredMessage: 'Redis was restarted',
};

/** Redis is killed and restarted with its data. */
export const redisKilled: Scenario = outage({
  ...killing,
  name: 'redis-killed',
  title: 'Redis is killed and restarts after 3 s: no event is lost',
  downMs: (context) => context.bySize({ test: 1_000, small: 3_000, normal: 3_000, full: 3_000 }),
  recoveredWithinMs: 12_000,
});

/** Redis is down for longer than the lock of a job lasts. */
export const redisAway: Scenario = outage({
  ...killing,
  name: 'redis-long-outage',
  title: 'Redis is unavailable for 20 s: no event is lost',
  downMs: () => 20_000,
  recoveredWithinMs: 40_000,
});

/** Redis keeps its connections open and does not respond. Locks expire meanwhile, so a job may be processed again. */
export const redisFrozen: Scenario = outage({
  name: 'redis-frozen',
  title: 'Redis is frozen for 15 s: no event is lost',
  inject: (redis) => redis.freeze(),
  recover: (redis) => redis.thaw(),
  injectedMessage: 'Redis is frozen',
  recoveredMessage: 'Redis is resumed',
  downMs: (context) => context.bySize({ small: 6_000, normal: 15_000, full: 15_000 }),
});

type Outage = Pick<Scenario, 'name' | 'title'> & {
  inject(redis: RedisServer): unknown;
  recover(redis: RedisServer): unknown;
  injectedMessage: string;
  recoveredMessage: string;
  downMs(context: ScenarioContext): number;
  recoveredWithinMs?: number;
};

function outage({
  name,
  title,
  inject,
  recover,
  injectedMessage,
  recoveredMessage,
  downMs,
  recoveredWithinMs,
}: Outage): Scenario {
  return {
    name,
    title,
    backends: ['redis'],
    async run(context) {
      const redis = redisOf(context);
      const { api, workers, loads, stop } = await startTraffic(context);
      const act = async () => {
        await inject(redis);
        await requireDown(redis);
        context.recordFault(injectedMessage);
        await sleep(downMs(context));
        await recover(redis);
        context.recordFault(recoveredMessage);
      };
      await requireUnavailable(context, { api, workers, withinMs: 1_500, isApiUnaffected: true, act });
      await sleep(1_000);
      await stop();
      requireQuickRefusals(context, loads);
      const { recoveryMs } = await context.settle(loads, { withinMs: 90_000 });
      if (recoveredWithinMs !== undefined) context.requireWithin(recoveredWithinMs, recoveryMs, 'recovery');
    },
  };
}

/** Connections to Redis break repeatedly, while Redis stays up. */
export const redisCut: Scenario = {
  name: 'redis-connections-killed',
  title: 'all connections to Redis are cut repeatedly: no event is lost',
  backends: ['redis'],
  async run(context) {
    const redis = redisOf(context);
    const { loads, stop } = await startTraffic(context);
    for (let round = 0; round < context.bySize({ small: 5, normal: 15, full: 40 }); round++) {
      const cut = Number((await redis.command('CLIENT KILL TYPE normal SKIPME yes')).slice(1));
      if (cut > 0) context.recordFault(`${cut} connections were cut`);
      await sleep(500);
    }
    await sleep(1_000);
    await stop();
    const { recoveryMs } = await context.settle(loads);
    context.note(`${loads.flatMap(({ failures }) => failures).length} pushes were repeated`);
    context.requireWithin(30_000, recoveryMs, 'recovery');
  },
};

/** Redis refuses writes: as a replica after a failover, and when its memory is full. */
export const redisRefusing: Scenario = {
  name: 'redis-refusing',
  title: 'Redis is read-only, then out of memory: no acknowledged event is lost',
  backends: ['redis'],
  async run(context) {
    const redis = redisOf(context);
    const { api, workers, loads, stop } = await startTraffic(context);
    const outageMs = context.bySize({ small: 3_000, normal: 6_000, full: 12_000 });
    const faults = [
      { inject: 'REPLICAOF 127.0.0.1 1', recover: 'REPLICAOF NO ONE', error: '-READONLY' },
      { inject: 'CONFIG SET maxmemory 1mb', recover: 'CONFIG SET maxmemory 0', error: '-OOM' },
    ];
    for (const { inject, recover, error } of faults) {
      const act = async () => {
        await redis.command(inject);
        const reply = await redis.command('SET faults:probe 1');
        if (reply.startsWith(error)) context.recordFault(`Redis replies ${error}`);
        else context.require(false, `Redis replied ${reply} instead of ${error}`);
        await sleep(outageMs);
        await redis.command(recover);
        await awaitState(
          'Redis accepts writes again',
          async () => (await redis.command('SET faults:probe 1')) === '+OK',
        );
        context.recordFault('Redis accepts writes again');
      };
      await requireUnavailable(context, { api, workers, withinMs: 1_500, isApiUnaffected: true, act });
      await sleep(500);
    }
    await stop();
    requireQuickRefusals(context, loads);
    await context.settle(loads, { withinMs: 90_000 });
  },
};

/** Redis loses all data while retries wait. Deliveries have no jobs, so each retry is made on time. */
export const flushAll: Scenario = {
  name: 'flushall',
  title: 'Redis loses all its data (FLUSHALL) while retries wait: retries are made on time',
  backends: ['redis'],
  // SMS is retried after 18 s, RCS after 0.1 and 1 s.
  env: { RETRY_TIME_SCALE: '0.01' },
  async run(context) {
    const redis = redisOf(context);
    const { recorder } = context;
    recorder.behave(({ attempt }) => ({ status: attempt === 1 ? 500 : 200 }));
    await context.startWorker();
    await context.startWorker();
    const load = context.createLoad();
    const count = context.bySize({ small: 200, normal: 1_000, full: 3_000 });
    await load.push(count);
    await awaitState(
      'every event had its first attempt',
      () => recorder.calls.filter(({ attempt }) => attempt === 1).length >= count,
    );
    const keys = await redis.command('DBSIZE');
    await redis.command('FLUSHALL');
    const left = await redis.command('DBSIZE');
    // Workers that wait for jobs write some keys again at once.
    if (Number(keys.slice(1)) > 0 && Number(left.slice(1)) < 50)
      context.recordFault(`FLUSHALL: ${keys} keys before, ${left} after`);
    const later = context.createLoad();
    await later.push(count / 10);
    await context.settle([load, later], { withinMs: 90_000 });
    requireRetryDelays(context, { minMs: 18_000, maxMs: 18_000 + 5_000 });
  },
};

function requireRetryDelays(context: ScenarioContext, { minMs, maxMs }: { minMs: number; maxMs: number }): void {
  const first = new Map<string, number>();
  const delays: number[] = [];
  for (const { delivery, attempt, at, message } of context.recorder.calls) {
    if (attempt === 1) first.set(delivery, at);
    const from = first.get(delivery);
    // Only the ids of SMS reports contain a colon.
    if (attempt === 2 && from !== undefined && message.includes(':')) delays.push(at - from);
  }
  const [min, max] = [Math.min(...delays), Math.max(...delays)];
  context.require(min >= minMs, `a retry came after ${min} ms, earlier than ${minMs} ms`);
  context.requireWithin(maxMs, max, 'the wait for a retry');
  context.note(`retries came after ${(min / 1_000).toFixed(1)} to ${(max / 1_000).toFixed(1)} s`);
}

/** Returns the Redis server of a scenario on the Redis backend. */
export function redisOf({ redis }: ScenarioContext): RedisServer {
  if (redis === undefined) throw new Error('this scenario needs the Redis backend');
  return redis;
}

async function requireDown(redis: RedisServer): Promise<void> {
  const reply = await redis.command('PING').catch(() => undefined);
  if (reply !== undefined) throw new Error(`Redis should be down, and replied ${reply}`);
}
