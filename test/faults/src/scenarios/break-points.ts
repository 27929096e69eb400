import { setTimeout as sleep } from 'node:timers/promises';
import type { BreakPoint } from '@ringback/testing';
import { receiveCalls, startTraffic } from '../outage.js';
import { startPostgresProxy } from '../postgres.js';
import { awaitState, type Scenario, type ScenarioContext } from '../scenario.js';

/** PostgreSQL executes a statement, and its client never gets the response. Nothing is done twice because of that. */
export const lostReplies: Scenario = {
  name: 'lost-replies',
  title: 'replies of PostgreSQL are lost after commits: nothing is done twice',
  backends: ['redis', 'postgres'],
  async run(context) {
    const { proxyUrl, breakAt } = await startPostgresProxy(context);
    const { loads, stop } = await startTraffic(context, { env: { DATABASE_URL: proxyUrl } });
    const stopLimited = loads[0].keepPushing(limitedPerSecond, [await addLimited(context)]);
    for (let round = 0; round < context.bySize({ small: 1, normal: 3, full: 6 }); round++) {
      for (const statement of ['store_events', 'record', 'claim_due', 'scan_due']) {
        await breakAt({ text: statement, when: 'after' });
        context.recordFault(`the response to "${statement}" was lost`);
        await sleep(200);
      }
    }
    await Promise.all([stop(), stopLimited()]);
    await context.settle(loads, { withinMs: 120_000 });
  },
};

const breakPoints: readonly BreakPoint[] = [
  { text: 'store_events', when: 'after' },
  { text: 'record', when: 'before' },
  { text: 'record', when: 'after' },
  { text: 'claim_due', when: 'after' },
  { text: 'rescue', when: 'after' },
];

/**
 * A worker is killed at one of five points: after events were stored and before their jobs completed, between a call
 * and its record, after the record, between a claim and the calls, after the leases of a crashed worker were rescued.
 */
export const killPoints: Scenario = {
  name: 'kill-points',
  title: 'a worker is killed between two steps, at five points: no event is lost',
  backends: ['redis', 'postgres'],
  async run(context) {
    receiveCalls(context, { failing: true });
    const { proxyUrl, breakAt } = await startPostgresProxy(context);
    let victim = await context.startWorker({ DATABASE_URL: proxyUrl });
    await context.startWorker();
    const load = context.createLoad();
    const stops = [
      load.keepPushing(context.bySize({ small: 20, normal: 40, full: 60 })),
      load.keepPushing(limitedPerSecond, [await addLimited(context)]),
    ];
    const rounds = context.bySize({ small: 1, normal: 2, full: 4 });
    for (let round = 0; round < rounds; round++) {
      for (const { text, when } of breakPoints) {
        const kill = async () => void (await victim.end('SIGKILL'));
        await breakAt({ text, when, meanwhile: kill });
        context.recordFault(`kill -9 ${when} "${text}"`);
        victim = await context.startWorker({ DATABASE_URL: proxyUrl });
      }
    }
    await Promise.all(stops.map((stop) => stop()));
    const { duplicates } = await context.settle(load, {
      withinMs: 120_000,
      maxDuplicates: Number(context.env.WORKER_CONCURRENCY) * rounds * breakPoints.length,
    });
    context.note(`${duplicates} calls were repeated after ${rounds * breakPoints.length} kills`);
  },
};

/** The API is killed before it stores events, and after it stored them but before the wake-up and the response. */
export const apiKillPoints: Scenario = {
  name: 'api-kill-points',
  title: 'the API is killed before and after it stores events: no acknowledged event is lost',
  backends: ['redis', 'postgres'],
  async run(context) {
    receiveCalls(context, { failing: true });
    const { proxyUrl: DATABASE_URL, breakAt } = await startPostgresProxy(context);
    await context.startWorker();
    let api = await context.startApi({ DATABASE_URL });
    const { port: PORT } = new URL(api.baseUrl);
    const load = context.createLoad(api);
    const stop = load.keepPushing(context.bySize({ small: 20, normal: 40, full: 60 }));
    for (let round = 0; round < context.bySize({ small: 1, normal: 3, full: 6 }); round++) {
      for (const when of ['before', 'after'] as const) {
        const before = load.acknowledged.size;
        await awaitState('events are acknowledged', () => load.acknowledged.size > before + 50);
        await breakAt({ text: 'store_events', when, meanwhile: async () => void (await api.end('SIGKILL')) });
        context.recordFault(`kill -9 ${when} "store_events"`);
        api = await context.startApi({ DATABASE_URL, PORT });
      }
    }
    await stop();
    context.note(`${load.failures.length} pushes were repeated`);
    await context.settle(load);
  },
};

const limitedPerSecond = 10;

/** Adds a webhook with a rate limit. Its deliveries are never leased at ingest, so each of them is claimed. */
const addLimited = (context: ScenarioContext) => context.addWebhook('/limited', { rateLimit: 2 * limitedPerSecond });
