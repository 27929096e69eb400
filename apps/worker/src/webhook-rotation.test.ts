import { describe, expect, test } from '@jest/globals';
import type { ClaimRequest, DeliveryTask, DueKey } from '@ringback/ledger';
import { type ClaimLimits, WebhookRotation } from './webhook-rotation.js';

const channel = 'sms' as const;
const webhookChannelOf = (webhookId: string): DueKey => ({
  webhookId,
  channel,
  accountId: `account of ${webhookId}`,
});
const idsOf = (requests: ClaimRequest[]) => requests.map(({ webhookId }) => webhookId);

/** A rotation with a clock that the test advances. */
function setUp() {
  const clock = { ms: 0 };
  const webhooks = new WebhookRotation({ channels: [channel], now: () => clock.ms });
  const addFresh = (...names: string[]) => webhooks.addFresh(names.map(webhookChannelOf));
  const addBacklog = (...names: string[]) => webhooks.addBacklog(names.map(webhookChannelOf));
  const planClaim = (limits: Partial<ClaimLimits> = {}) =>
    webhooks.planClaim({
      availableLeases: 100,
      availableRetries: Infinity,
      budget: { reserve: (_webhook, _account, max) => Math.min(4, max) },
      ...limits,
    });
  type Claim = { idsWithRateLimit?: string[]; attemptCount?: number };
  /** Reports a claim in which `countOf` deliveries of each webhook were claimed, which had `attemptCount` attempts. */
  const reportClaim = (
    requests: ClaimRequest[],
    countOf: (request: ClaimRequest) => number,
    { idsWithRateLimit = [], attemptCount = 1 }: Claim = {},
  ) =>
    webhooks.reportClaim(
      requests,
      requests.flatMap((request) => {
        const task = { webhookId: request.webhookId, attemptCount, isResend: false } as DeliveryTask;
        return Array<DeliveryTask>(countOf(request)).fill(task);
      }),
      { startedAtMonotonicMs: clock.ms + 0.5, idsWithRateLimit: new Set(idsWithRateLimit) },
    );
  return { clock, webhooks, addFresh, addBacklog, planClaim, reportClaim };
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
    expect(idsOf(planClaim())).toEqual(['new', 'old']);
    addBacklog('older');
    addFresh('older');
    expect(idsOf(planClaim())).toEqual(['older', 'new', 'old']);
  });

  test('in the backlog are held back when no more retries may start; fresh ones are not', () => {
    const { addFresh, addBacklog, planClaim } = setUp();
    addBacklog('old', 'older');
    addFresh('new');
    expect(idsOf(planClaim({ availableRetries: 0 }))).toEqual(['new']);
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
    const [retries, first] = planClaim() as [ClaimRequest, ClaimRequest];
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
      expect([times, idsOf(planClaim())]).toEqual([times, ['limited']]);
      reportClaim([{ webhookId: 'limited', channel, limit: 4 }], () => 0, { idsWithRateLimit: ['limited'] });
    }
    expect(webhooks.size).toBe(0);
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
    webhooks.addFresh([{ ...webhookChannelOf('other'), channel: 'rcs' }]);
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
});
