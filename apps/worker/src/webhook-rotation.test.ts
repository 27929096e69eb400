import { describe, expect, test } from '@jest/globals';
import type { DeliveryTask, Due } from '@ringback/ledger';
import { type ClaimLimits, type PlannedLeases, type PlannedSearch, WebhookRotation } from './webhook-rotation.js';

const channel = 'sms' as const;
const dueOf = (webhookId: string, { id = null, dueAt = '10:00' }: Partial<Due> = {}): Due => ({
  webhookId,
  channel,
  accountId: `account of ${webhookId}`,
  id,
  dueAt,
});
const idsOf = (requests: PlannedSearch[]) => requests.map(({ webhookId }) => webhookId);

/** A rotation with a clock that the test advances. */
function setUp() {
  const clock = { ms: 0 };
  const webhooks = new WebhookRotation({ channels: [channel], now: () => clock.ms });
  const addFresh = (...names: string[]) => webhooks.addFresh(names.map((name) => dueOf(name)));
  const addBacklog = (...names: string[]) => webhooks.addBacklog(names.map((name) => dueOf(name)));
  const plan = (limits: Partial<ClaimLimits> = {}) =>
    webhooks.planClaim({
      availableLeases: 100,
      availableRetries: Infinity,
      budget: { reserve: (_webhook, _account, max) => Math.min(4, max) },
      ...limits,
    });
  /** Plans a claim in which nothing is leased by its id. */
  const planClaim = (limits?: Partial<ClaimLimits>) => {
    const { leases, searches } = plan(limits);
    expect(leases).toEqual([]);
    return searches;
  };
  type Claim = { idsWithRateLimit?: string[]; attemptCount?: number; lastDueAt?: string; orphanCount?: number };
  /**
   * Reports a claim in which `countOf` deliveries of each webhook were claimed, which had `attemptCount` attempts.
   * `orphanCount` of them are orphans.
   */
  const reportClaim = (
    planned: (PlannedSearch | PlannedLeases)[],
    countOf: (one: PlannedSearch | PlannedLeases) => number,
    { idsWithRateLimit = [], attemptCount = 1, lastDueAt = '10:00', orphanCount = 0 }: Claim = {},
  ) =>
    webhooks.report(planned, {
      tasks: planned.flatMap((one) => {
        const task = { webhookId: one.webhookId, attemptCount, isResend: false } as DeliveryTask;
        return Array<DeliveryTask>(Math.max(0, countOf(one) - orphanCount)).fill(task);
      }),
      idsWithRateLimit: new Set(idsWithRateLimit),
      leased: new Map(planned.map((one) => [one.webhookId, { count: countOf(one), lastDueAt }])),
    });
  return { clock, webhooks, addFresh, addBacklog, plan, planClaim, reportClaim };
}

describe('webhooks with due deliveries', () => {
  test('each have their turn, even when one of them has many deliveries', () => {
    const { addBacklog, planClaim, reportClaim } = setUp();
    addBacklog('a', 'b', 'c', 'd');
    const turns = [1, 2, 3, 4].map(() => {
      const requests = planClaim({ availableLeases: 8 });
      reportClaim(requests, ({ limit }) => limit);
      return idsOf(requests);
    });
    expect(turns).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  test('that are fresh come before the backlog, until a claim returns retries of them', () => {
    const { addFresh, addBacklog, planClaim, reportClaim } = setUp();
    addBacklog('old');
    addFresh('new');
    const requests = planClaim({ availableLeases: 8 });
    expect(idsOf(requests)).toEqual(['new', 'old']);
    reportClaim(requests, ({ limit }) => limit);
    const retries = planClaim();
    expect(idsOf(retries)).toEqual(['new', 'old']);
    reportClaim(retries, ({ limit }) => limit);
    addBacklog('older');
    addFresh('older');
    expect(idsOf(planClaim())).toEqual(['older', 'new', 'old']);
  });

  test('in the backlog are held back when no more retries may start; fresh ones are not', () => {
    const { addFresh, addBacklog, planClaim } = setUp();
    addBacklog('old', 'older');
    addFresh('new');
    expect(idsOf(planClaim({ availableRetries: 0 }))).toEqual(['new']);
    addFresh('new');
    expect(planClaim({ availableRetries: 5 }).map(({ webhookId, limit }) => [webhookId, limit])).toEqual([
      ['new', 4],
      ['old', 4],
      ['older', 1],
    ]);
  });

  test('with many first attempts stay fresh, and leave a quarter of a claim to the backlog', () => {
    const { addFresh, addBacklog, planClaim, reportClaim } = setUp();
    addFresh('a', 'b', 'c');
    reportClaim(planClaim(), ({ limit }) => limit, { attemptCount: 0 });
    addBacklog('old');
    expect(planClaim({ availableLeases: 8 }).map(({ webhookId, limit }) => [webhookId, limit])).toEqual([
      ['a', 4],
      ['b', 2],
      ['old', 2],
    ]);
  });

  test('that are found with only first attempts become fresh', () => {
    const { addBacklog, planClaim, reportClaim } = setUp();
    addBacklog('retries', 'first attempts');
    const [retries, first] = planClaim() as [PlannedSearch, PlannedSearch];
    reportClaim([first], ({ limit }) => limit, { attemptCount: 0 });
    reportClaim([retries], ({ limit }) => limit);
    expect(idsOf(planClaim({ availableRetries: 0 }))).toEqual(['first attempts']);
  });

  test('that are fresh take turns, even when one of them is named again and again', () => {
    const { clock, addFresh, planClaim, reportClaim } = setUp();
    addFresh('busy', 'other');
    const turns = [1, 2, 3].map(() => {
      const requests = planClaim({ availableLeases: 4 });
      clock.ms += 1;
      addFresh('busy');
      clock.ms -= 1;
      reportClaim(requests, ({ limit }) => limit, { attemptCount: 0 });
      return idsOf(requests);
    });
    expect(turns).toEqual([['busy'], ['other'], ['busy']]);
  });

  test('without a free permit are not requested, and get their turn when they have one', () => {
    const { addBacklog, planClaim, reportClaim } = setUp();
    addBacklog('saturated', 'healthy');
    const first = planClaim({
      budget: { reserve: (webhook, _account, max) => (webhook === 'saturated' ? 0 : Math.min(2, max)) },
    });
    expect(idsOf(first)).toEqual(['healthy']);
    reportClaim(first, () => 2);
    expect(idsOf(planClaim())).toEqual(['saturated', 'healthy']);
  });

  test('are removed when a claim finds fewer deliveries than it requested, unless they were added meanwhile', () => {
    const { clock, addBacklog, planClaim, reportClaim, webhooks } = setUp();
    addBacklog('empty', 'added again');
    const requests = planClaim();
    clock.ms = 1;
    addBacklog('added again');
    clock.ms = 0;
    reportClaim(requests, () => 1);
    expect([webhooks.size, idsOf(planClaim())]).toEqual([1, ['added again']]);
  });

  test('with a rate limit are claimed from every 100 ms, and removed when nothing was claimed for 2 s', () => {
    const { clock, addBacklog, planClaim, reportClaim, webhooks } = setUp();
    addBacklog('limited');
    reportClaim(planClaim(), () => 1, { idsWithRateLimit: ['limited'] });
    expect([planClaim(), webhooks.msUntilRateLimitWaitEnds()]).toEqual([[], 100]);
    for (let times = 0; clock.ms < 2_000; times++) {
      clock.ms += 100;
      const planned = planClaim();
      expect([times, idsOf(planned)]).toEqual([times, ['limited']]);
      reportClaim(planned, () => 0, { idsWithRateLimit: ['limited'] });
    }
    expect(webhooks.size).toBe(0);
  });

  test('with a rate limit hide no other webhook while they wait', () => {
    const { addBacklog, planClaim, reportClaim, webhooks } = setUp();
    const limited = Array.from({ length: 500 }, (_, index) => `limited ${index}`);
    addBacklog(...limited);
    for (let plans = 0; plans < 3; plans++)
      reportClaim(planClaim({ availableLeases: 1_000 }), () => 1, { idsWithRateLimit: limited });
    addBacklog('other');
    expect([idsOf(planClaim()), webhooks.size]).toEqual([['other'], 500]);
  });

  test('with a rate limit that are named while they wait are fresh when their 100 ms have ended', () => {
    const { clock, addBacklog, addFresh, planClaim, reportClaim } = setUp();
    addBacklog('limited');
    reportClaim(planClaim(), () => 1, { idsWithRateLimit: ['limited'] });
    addFresh('limited');
    expect(planClaim()).toEqual([]);
    clock.ms = 100;
    expect(planClaim({ availableRetries: 0 })).toMatchObject([{ webhookId: 'limited', isFresh: true }]);
  });

  test('with a rate limit each wait for their own 100 ms', () => {
    const { clock, addBacklog, planClaim, reportClaim, webhooks } = setUp();
    addBacklog('early');
    reportClaim(planClaim(), () => 1, { idsWithRateLimit: ['early'] });
    clock.ms = 60;
    addBacklog('late');
    reportClaim(planClaim(), () => 1, { idsWithRateLimit: ['late'] });
    clock.ms = 100;
    expect([idsOf(planClaim()), webhooks.msUntilRateLimitWaitEnds()]).toEqual([['early'], 60]);
  });

  test('of channels that the worker does not deliver are ignored', () => {
    const { webhooks } = setUp();
    webhooks.addFresh([{ ...dueOf('other'), channel: 'rcs' }]);
    expect(webhooks.size).toBe(0);
  });

  test('are selected within the capacity, 50 deliveries of each and 200 webhooks at most', () => {
    const { addBacklog, planClaim } = setUp();
    addBacklog(...Array.from({ length: 300 }, (_, index) => `webhook ${index}`));
    const all = { reserve: (_webhook: string, _account: string, max: number) => max };
    const selected = planClaim({ availableLeases: 120, budget: all });
    expect(selected.map(({ limit }) => limit)).toEqual([50, 50, 20]);
    const many = planClaim({
      availableLeases: 1_000,
      budget: { reserve: (_webhook, _account, max) => Math.min(1, max) },
    });
    expect(many).toHaveLength(200);
  });

  test('whose deliveries are known by their ids need no search for them', () => {
    const { webhooks, plan } = setUp();
    webhooks.addFresh(['1', '2', '3'].map((id) => dueOf('a', { id })));
    webhooks.addFresh([dueOf('a', { id: '3' })]);
    const taken = [plan({ availableLeases: 2 }), plan()].map(({ leases, searches }) => [
      leases.flatMap(({ known }) => known.map(({ id }) => id)),
      searches,
    ]);
    expect(taken).toEqual([
      [['1', '2'], []],
      [['3'], []],
    ]);
    expect(webhooks.size).toBe(0);
  });

  test('are searched for what goes beyond 50 ids, from the time at which the first of these became due', () => {
    const { webhooks, plan } = setUp();
    const all = { reserve: (_webhook: string, _account: string, max: number) => max };
    const minuteOf = (index: number) => `10:${String(index).padStart(2, '0')}`;
    webhooks.addFresh(Array.from({ length: 53 }, (_, i) => dueOf('a', { id: `${i}`, dueAt: minuteOf(i) })));
    const first = plan({ budget: all });
    expect([first.leases.map(({ limit }) => limit), first.searches]).toEqual([[50], []]);
    expect(plan({ budget: all }).searches).toMatchObject([{ webhookId: 'a', dueFrom: '10:50' }]);
  });

  test('are searched on if all that a search wanted was found, though one had no event any more', () => {
    const { addBacklog, planClaim, reportClaim } = setUp();
    addBacklog('a');
    reportClaim(planClaim(), ({ limit }) => limit, { orphanCount: 1 });
    expect(idsOf(planClaim())).toEqual(['a']);
  });

  test('are searched on from the last delivery that was found', () => {
    const { addBacklog, planClaim, reportClaim } = setUp();
    addBacklog('a');
    reportClaim(planClaim(), ({ limit }) => limit, { lastDueAt: '10:07' });
    expect(planClaim()).toMatchObject([{ webhookId: 'a', dueFrom: '10:07' }]);
  });

  test('with a rate limit are searched for deliveries that could not be leased by their ids', () => {
    const { webhooks, plan, reportClaim } = setUp();
    webhooks.addFresh([dueOf('a', { id: '2', dueAt: '10:02' }), dueOf('a', { id: '1', dueAt: '10:01' })]);
    reportClaim(plan().leases, () => 0, { idsWithRateLimit: ['a'] });
    expect(plan().searches).toMatchObject([{ webhookId: 'a', dueFrom: '10:01' }]);
  });

  test('are put back when their claim fails', () => {
    const { webhooks, addBacklog, plan } = setUp();
    webhooks.addFresh([dueOf('a', { id: '1' })]);
    addBacklog('b');
    const planned = plan();
    expect(webhooks.size).toBe(0);
    webhooks.giveBack([...planned.leases, ...planned.searches]);
    expect(plan()).toEqual(planned);
  });
});
