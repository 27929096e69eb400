import { setTimeout as sleep } from 'node:timers/promises';
import type { Load } from '../load.js';
import { awaitState, type Scenario, type ScenarioContext } from '../scenario.js';
import { type Answer, createCaller, type Greedy, keepCalling, startAttack } from './greedy-attack.js';

const connections = 200;
const pollMs = 20;
const greedyPath = '/greedy';

/** An account that overloads the API with a valid token does not slow down other accounts. */
export const greedyAccount: Scenario = {
  name: 'greedy-account',
  requiresNoErrors: true,
  runsAlone: true,
  title: 'one account overloads the API over 200 connections: calls and callbacks of another account are not affected',
  backends: ['redis', 'postgres'],
  // Only the concurrency limit per account applies.
  env: { API_RATE_LIMIT_PER_MINUTE: '1000000000', WORKER_CONCURRENCY: '200' },
  async run(context) {
    const greedy = await seedGreedy(context);
    const api = await context.startApi();
    await context.startWorker();
    const load = context.createLoad(api);
    const count = context.bySize({ small: 300, normal: 1_500, full: 10_000 });
    const calls = otherCalls(api.baseUrl, context);
    // Warm-up: the first calls of a process are slow.
    await measure(context, { load, count: 50, calls });
    const baseline = await measure(context, { load, count, calls });

    const attack = startAttack({ baseUrl: api.baseUrl, greedy, connections });
    const watch = watchSearches(context);
    const answers = (status: number) => attack.answered().get(status) ?? 0;
    const underAttack = async () => {
      await awaitState('the attack takes effect', () => answers(429) > 0 && answers(200) > 0 && watch.max() > 0);
      context.recordFault('the greedy account is refused with 429 while its searches run');
      return measure(context, { load, count, calls });
    };
    const attacked = await underAttack().finally(() => Promise.all([attack.stop(), watch.stop()]));

    const figures = [...attack.answered()].map(([status, number]) => `${number} × ${status}`).join(', ');
    const cpu = `${attack.cpuMs()} ms of CPU in its own process`;
    context.note(`greedy account: ${figures}; at most ${watch.max()} concurrent searches; ${cpu}`);
    context.note(
      `calls of the other account: p99 ${baseline.p99} ms, under attack ${attacked.p99} ms (${attacked.calls} calls)`,
    );
    context.note(`${count} callbacks took ${baseline.tookMs} ms, under attack ${attacked.tookMs} ms`);
    // Parallel workers of a query count as searches.
    context.require(watch.max() <= 1, `${watch.max()} searches of one account ran concurrently`);
    for (const { failed } of [baseline, attacked]) {
      context.require(failed.length === 0, `${failed.length} calls of the other account failed, one with ${failed[0]}`);
    }
    context.requireWithin(250, attacked.p99, 'the p99 of the calls of the other account');
    context.requireWithin(baseline.tookMs * 2 + 2_000, attacked.tookMs, 'the callbacks under attack');
    // Test calls are not in the ledger.
    await context.settle(load, { mapCalls: (calls) => calls.filter(({ path }) => path !== greedyPath) });
  },
};

/** Creates an account with deliveries, 10,000 webhooks and deleted ones, whose names are slow to search. */
async function seedGreedy(context: ScenarioContext): Promise<Greedy> {
  const { db } = context;
  const { accountId, accessToken, webhooks } = await context.addAccount(greedyPath, 1);
  const [webhookId = ''] = webhooks;
  const deleted = context.bySize({ small: 20_000, normal: 100_000, full: 200_000 });
  const deliveries = context.bySize({ small: 20_000, normal: 100_000, full: 1_000_000 });
  await db.pool.query(
    `INSERT INTO webhooks (account_id, name, uri, active, deleted_at)
      SELECT $1, repeat('aaaa bbbb ', 24) || n, 'https://example.com/', n < 10000, CASE WHEN n >= 10000 THEN now() END
        FROM generate_series(1, 9999 + $2::int) n`,
    [accountId, deleted],
  );
  await db.pool.query(
    `WITH e AS (
        INSERT INTO events (name, account_id, message_id, mobile, payload, state, delivery_count)
          SELECT 'sms:message:status', $1, 'same', '910000000000', '{"id":"same"}', 'routed', 1
            FROM generate_series(1, $3::int) RETURNING id),
      d AS (
        INSERT INTO deliveries (event_id, account_id, webhook_id, channel, state, attempt_count, due_at)
          SELECT id, $1, $2, 'sms', 'delivered', 1, NULL FROM e RETURNING id)
      INSERT INTO attempts (delivery_id, number, started_at, duration_ms, outcome, status_code, url, warnings)
        SELECT id, 1, now(), 10, 'response', 200, 'https://example.com/', '{}' FROM d`,
    [accountId, webhookId, deliveries],
  );
  return { token: accessToken, webhookId };
}

/** The API calls of the scenario's account, which the greedy account must not slow down. */
function otherCalls(baseUrl: string, { account, webhooks, recorder }: ScenarioContext): (() => Promise<Answer>)[] {
  const call = createCaller(baseUrl, account.accessToken);
  const [id = ''] = webhooks;
  return [
    () => call('GET', '/developer/webhooks'),
    () => call('GET', `/developer/webhooks/${id}`),
    () => call('GET', '/developer/deliveries?filter[status]=failed'),
    () => call('PUT', `/developer/webhooks/${id}`, { name: '/0', uri: `${recorder.origin}/0` }),
    () => call('GET', '/developer/subscriptions'),
  ];
}

type Measured = { p99: number; calls: number; failed: number[]; tookMs: number };

type Measurement = { load: Load; count: number; calls: (() => Promise<Answer>)[] };

/** Pushes events, waits for their callbacks, and makes at least 200 API calls of the other account meanwhile. */
async function measure(context: ScenarioContext, { load, count, calls }: Measurement): Promise<Measured> {
  const answers: Answer[] = [];
  const stop = keepCalling(calls, { connections: 2, pauseMs: 20, onAnswer: (answer) => void answers.push(answer) });
  try {
    const tookMs = await measureCallbacks(context, load, count);
    await awaitState('200 calls are answered', () => answers.length >= 200, { withinMs: 120_000 });
    return { ...summarise(answers), tookMs };
  } finally {
    await stop();
  }
}

/** Pushes events. Resolves with the time until their callbacks arrived, in ms. */
async function measureCallbacks({ recorder }: ScenarioContext, load: Load, count: number): Promise<number> {
  const startedAt = performance.now();
  await load.push(count, { batch: 50 });
  const isDone = () => {
    const arrived = new Set(recorder.calls.map(({ message }) => message));
    return [...load.acknowledged.keys()].every((message) => arrived.has(message));
  };
  await awaitState('all callbacks arrive', isDone, { withinMs: 120_000 });
  return Math.round(performance.now() - startedAt);
}

function summarise(answers: Answer[]): Omit<Measured, 'tookMs'> {
  const times = answers.map(({ tookMs }) => tookMs).sort((one, other) => one - other);
  const p99 = Math.round(times[Math.floor(times.length * 0.99)] ?? 0);
  const failed = answers.map(({ status }) => status).filter((status) => status !== 200);
  return { p99, calls: answers.length, failed };
}

/** Polls the number of concurrent searches by name in the database. `max` returns the highest number. */
function watchSearches({ db }: ScenarioContext) {
  const running = `SELECT count(*)::int AS n FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'active' AND query LIKE '%ILIKE%' AND pid <> pg_backend_pid()`;
  let max = 0;
  let isOver = false;
  const poll = async () => {
    while (!isOver) {
      max = Math.max(max, (await db.pool.query<{ n: number }>(running)).rows[0]?.n ?? 0);
      await sleep(pollMs);
    }
  };
  // The query fails if the scenario ends first.
  const polling = poll().catch(() => undefined);
  return {
    max: () => max,
    stop: async () => {
      isOver = true;
      await polling;
    },
  };
}
