import { describe, expect, test } from '@jest/globals';
import type { ClaimRequest, WebhookChannel } from '@ringback/database';
import { createDueWebhooks } from './due-webhooks.js';

const channel = 'sms' as const;
const one = (webhookId: string): WebhookChannel => ({ webhookId, channel, accountId: `account of ${webhookId}` });
const ids = (wanted: ClaimRequest[]) => wanted.map(({ webhookId }) => webhookId);

/** Due webhooks with a clock that only moves when told. */
function openScene() {
  const clock = { ms: 0 };
  const webhooks = createDueWebhooks({ channels: [channel], now: () => clock.ms });
  const note = (names: string[], fresh = false) => webhooks.note(names.map(one), { fresh });
  const choose = (bounds: Partial<Parameters<typeof webhooks.choose>[0]> = {}) =>
    webhooks.choose({
      capacity: 100,
      retryCapacity: 100,
      allot: (_webhook, _account, max) => Math.min(4, max),
      ...bounds,
    });
  /** Settles as if each webhook had yielded the given number. */
  const settle = (chosen: ClaimRequest[], countOf: (wanted: ClaimRequest) => number, limited: string[] = []) =>
    webhooks.settle(chosen, new Map(chosen.map((wanted) => [wanted.webhookId, countOf(wanted)])), {
      askedAt: clock.ms + 0.5,
      limited: new Set(limited),
    });
  return { clock, webhooks, note, choose, settle };
}

describe('webhooks with due deliveries', () => {
  test('each have their turn, however many deliveries one of them has', () => {
    const { note, choose, settle } = openScene();
    note(['a', 'b', 'c', 'd']);
    const turns = [1, 2, 3, 4].map(() => {
      const { chosen } = choose({ capacity: 8 });
      settle(chosen, ({ limit }) => limit);
      return ids(chosen);
    });
    expect(turns).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  test('with new events go before those that waited, and say how long theirs waited', () => {
    const { clock, note, choose, settle } = openScene();
    note(['old']);
    note(['new'], true);
    clock.ms = 30;
    const { chosen, retryCount } = choose({ capacity: 5 });
    expect([ids(chosen), retryCount]).toEqual([['new', 'old'], 1]);
    expect(settle(chosen, ({ limit }) => limit)).toEqual([30]);
    // What is left of it has waited by now.
    expect(ids(choose().chosen)).toEqual(['new', 'old']);
  });

  test('that waited are held back when no more retries may start; new events are not', () => {
    const { note, choose } = openScene();
    note(['old', 'older']);
    note(['new'], true);
    expect(choose({ retryCapacity: 0 })).toMatchObject({ chosen: [{ webhookId: 'new' }], heldBack: true });
    const some = choose({ retryCapacity: 5 });
    expect(some).toMatchObject({ retryCount: 5, heldBack: true });
    expect(some.chosen.map(({ webhookId, limit }) => [webhookId, limit])).toEqual([
      ['new', 4],
      ['old', 4],
      ['older', 1],
    ]);
  });

  test('without a permit keep their place', () => {
    const { note, choose, settle } = openScene();
    note(['saturated', 'healthy']);
    const first = choose({ allot: (webhook, _account, max) => (webhook === 'saturated' ? 0 : Math.min(2, max)) });
    expect(ids(first.chosen)).toEqual(['healthy']);
    settle(first.chosen, () => 2);
    expect(ids(choose().chosen)).toEqual(['saturated', 'healthy']);
  });

  test('are forgotten when they yield less than they might, unless more became due meanwhile', () => {
    const { clock, note, choose, settle, webhooks } = openScene();
    note(['empty', 'noted again']);
    const { chosen } = choose();
    clock.ms = 1;
    note(['noted again']);
    clock.ms = 0;
    settle(chosen, () => 1);
    expect([webhooks.size(), ids(choose().chosen)]).toEqual([1, ['noted again']]);
  });

  test('with a rate limit are asked again after 100 ms, and forgotten when they yield nothing for 2 s', () => {
    const { clock, note, choose, settle, webhooks } = openScene();
    note(['limited']);
    settle(choose().chosen, () => 1, ['limited']);
    expect([choose().chosen, webhooks.nextInMs()]).toEqual([[], 100]);
    for (let times = 0; clock.ms < 2_000; times++) {
      clock.ms += 100;
      expect([times, ids(choose().chosen)]).toEqual([times, ['limited']]);
      settle([{ webhookId: 'limited', channel, limit: 4 }], () => 0, ['limited']);
    }
    expect(webhooks.size()).toBe(0);
  });

  test('of channels that the worker does not deliver are not remembered', () => {
    const { webhooks } = openScene();
    webhooks.note([{ ...one('other'), channel: 'rcs' }], { fresh: true });
    expect(webhooks.size()).toBe(0);
  });

  test('are chosen within the capacity, 50 deliveries of each and 200 webhooks at most', () => {
    const { note, choose } = openScene();
    note(Array.from({ length: 300 }, (_, index) => `webhook ${index}`));
    const all = (_webhook: string, _account: string, max: number) => max;
    const chosen = choose({ capacity: 120, retryCapacity: 1_000, allot: all }).chosen;
    expect(chosen.map(({ limit }) => limit)).toEqual([50, 50, 20]);
    const many = choose({
      capacity: 1_000,
      retryCapacity: 1_000,
      allot: (_webhook, _account, max) => Math.min(1, max),
    });
    expect(many.chosen).toHaveLength(200);
  });
});
