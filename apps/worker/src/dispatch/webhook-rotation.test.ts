import { describe, expect, test } from '@jest/globals';
import type { ClaimRequest, WebhookChannel } from '@ringback/ledger';
import { createWebhookRotation } from './webhook-rotation.js';

const channel = 'sms' as const;
const webhookChannelOf = (webhookId: string): WebhookChannel => ({
  webhookId,
  channel,
  accountId: `account of ${webhookId}`,
});
const idsOf = (requests: ClaimRequest[]) => requests.map(({ webhookId }) => webhookId);

/** A rotation with a clock that the test advances. */
function setUp() {
  const clock = { ms: 0 };
  const webhooks = createWebhookRotation({ channels: [channel], now: () => clock.ms });
  const add = (names: string[], announced = false) => webhooks.add(names.map(webhookChannelOf), { announced });
  const planClaim = (limits: Partial<Parameters<typeof webhooks.planClaim>[0]> = {}) => {
    return webhooks.planClaim({
      availableLeases: 100,
      availableRetries: 100,
      budget: { reserve: (_webhook, _account, max) => Math.min(4, max) },
      ...limits,
    });
  };
  type Claim = { idsWithRateLimit?: string[]; areFirstAttempts?: boolean };
  /**
   * Reports a claim in which `countOf` deliveries of each webhook were claimed, retries unless `areFirstAttempts`.
   */
  const reportClaim = (
    requests: ClaimRequest[],
    countOf: (request: ClaimRequest) => number,
    { idsWithRateLimit = [], areFirstAttempts = false }: Claim = {},
  ) =>
    webhooks.reportClaim(
      requests,
      new Map(requests.map((request) => [request.webhookId, { count: countOf(request), areFirstAttempts }])),
      { startedAtMonotonicMs: clock.ms + 0.5, idsWithRateLimit: new Set(idsWithRateLimit) },
    );
  return { clock, webhooks, add, planClaim, reportClaim };
}

describe('webhooks with due deliveries', () => {
  test('each have their turn, even when one of them has many deliveries', () => {
    const { add, planClaim, reportClaim } = setUp();
    add(['a', 'b', 'c', 'd']);
    const turns = [1, 2, 3, 4].map(() => {
      const { requests } = planClaim({ availableLeases: 8 });
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

  test('that are announced come before discovered ones, and their delays are reported', () => {
    const { clock, add, planClaim, reportClaim } = setUp();
    add(['old']);
    add(['new'], true);
    clock.ms = 30;
    const { requests } = planClaim({ availableLeases: 5 });
    expect(idsOf(requests)).toEqual(['new', 'old']);
    expect(reportClaim(requests, ({ limit }) => limit)).toEqual([30]);
    // It has had its turn.
    add(['newer']);
    expect(idsOf(planClaim().requests)).toEqual(['new', 'old', 'newer']);
  });

  test('that are discovered are held back when no more retries may start; announced ones are not', () => {
    const { add, planClaim } = setUp();
    add(['old', 'older']);
    add(['new'], true);
    expect(planClaim({ availableRetries: 0 })).toMatchObject({
      requests: [{ webhookId: 'new' }],
      isThrottled: true,
    });
    const some = planClaim({ availableRetries: 5 });
    expect(some.isThrottled).toBe(true);
    expect(some.requests.map(({ webhookId, limit }) => [webhookId, limit])).toEqual([
      ['new', 4],
      ['old', 4],
      ['older', 1],
    ]);
  });

  test('with a backlog of first attempts are not held back', () => {
    const { add, planClaim, reportClaim } = setUp();
    add(['backlog', 'retries']);
    const first = planClaim().requests;
    reportClaim(first.slice(0, 1), ({ limit }) => limit, { areFirstAttempts: true });
    reportClaim(first.slice(1), ({ limit }) => limit);
    expect(planClaim({ availableRetries: 0 })).toMatchObject({
      requests: [{ webhookId: 'backlog', limit: 4 }],
      isThrottled: true,
    });
    reportClaim([{ webhookId: 'backlog', channel, limit: 4 }], () => 4, { areFirstAttempts: false });
    expect(planClaim({ availableRetries: 0 }).requests).toEqual([]);
  });

  test('are not throttled when all are announced, or when only the maximum of 200 webhooks holds some back', () => {
    const { add, planClaim } = setUp();
    add(['new'], true);
    expect(planClaim({ availableRetries: 0 })).toMatchObject({ isThrottled: false });
    add(Array.from({ length: 300 }, (_, index) => `webhook ${index}`));
    expect(planClaim({ availableLeases: 1_000, availableRetries: 1_000 })).toMatchObject({ isThrottled: false });
  });

  test('that are announced take turns, even when one of them is announced again and again', () => {
    const { clock, add, planClaim, reportClaim } = setUp();
    add(['busy', 'other'], true);
    const turns = [1, 2, 3].map(() => {
      const { requests } = planClaim({ availableLeases: 4 });
      clock.ms += 1;
      add(['busy'], true);
      clock.ms -= 1;
      reportClaim(requests, ({ limit }) => limit);
      return idsOf(requests);
    });
    expect(turns).toEqual([['busy'], ['other'], ['busy']]);
  });

  test('without a free permit are not requested, and get their turn when they have one', () => {
    const { add, planClaim, reportClaim } = setUp();
    add(['saturated', 'healthy']);
    const first = planClaim({
      budget: { reserve: (webhook, _account, max) => (webhook === 'saturated' ? 0 : Math.min(2, max)) },
    });
    expect(idsOf(first.requests)).toEqual(['healthy']);
    reportClaim(first.requests, () => 2);
    expect(idsOf(planClaim().requests)).toEqual(['saturated', 'healthy']);
  });

  test('are removed when a claim finds fewer deliveries than it requested, unless they were added meanwhile', () => {
    const { clock, add, planClaim, reportClaim, webhooks } = setUp();
    add(['empty', 'added again']);
    const { requests } = planClaim();
    clock.ms = 1;
    add(['added again']);
    clock.ms = 0;
    reportClaim(requests, () => 1);
    expect([webhooks.size(), idsOf(planClaim().requests)]).toEqual([1, ['added again']]);
  });

  test('with a rate limit are claimed from every 100 ms, and removed when nothing was claimed for 2 s', () => {
    const { clock, add, planClaim, reportClaim, webhooks } = setUp();
    add(['limited']);
    reportClaim(planClaim().requests, () => 1, { idsWithRateLimit: ['limited'] });
    expect([planClaim().requests, webhooks.msUntilRateLimitWaitEnds()]).toEqual([[], 100]);
    for (let times = 0; clock.ms < 2_000; times++) {
      clock.ms += 100;
      expect([times, idsOf(planClaim().requests)]).toEqual([times, ['limited']]);
      reportClaim([{ webhookId: 'limited', channel, limit: 4 }], () => 0, { idsWithRateLimit: ['limited'] });
    }
    expect(webhooks.size()).toBe(0);
  });

  test('with a rate limit each wait for their own 100 ms', () => {
    const { clock, add, planClaim, reportClaim, webhooks } = setUp();
    add(['early']);
    reportClaim(planClaim().requests, () => 1, { idsWithRateLimit: ['early'] });
    clock.ms = 60;
    add(['late']);
    reportClaim(planClaim().requests, () => 1, { idsWithRateLimit: ['late'] });
    clock.ms = 100;
    expect([idsOf(planClaim().requests), webhooks.msUntilRateLimitWaitEnds()]).toEqual([['early'], 60]);
  });

  test('of channels that the worker does not deliver are ignored', () => {
    const { webhooks } = setUp();
    webhooks.add([{ ...webhookChannelOf('other'), channel: 'rcs' }], { announced: true });
    expect(webhooks.size()).toBe(0);
  });

  test('are selected within the capacity, 50 deliveries of each and 200 webhooks at most', () => {
    const { add, planClaim } = setUp();
    add(Array.from({ length: 300 }, (_, index) => `webhook ${index}`));
    const all = { reserve: (_webhook: string, _account: string, max: number) => max };
    const selected = planClaim({ availableLeases: 120, availableRetries: 1_000, budget: all }).requests;
    expect(selected.map(({ limit }) => limit)).toEqual([50, 50, 20]);
    const many = planClaim({
      availableLeases: 1_000,
      availableRetries: 1_000,
      budget: { reserve: (_webhook, _account, max) => Math.min(1, max) },
    });
    expect(many.requests).toHaveLength(200);
  });
});
