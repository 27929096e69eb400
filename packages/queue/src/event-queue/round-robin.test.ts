import { describe, expect, test } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { createRoundRobin, type RoundRobin, type WaitingJob } from './round-robin.js';

let createdCount = 0;
const event = (accountId: string, webhookId = ''): WaitingJob => ({ id: String(createdCount++), accountId, webhookId });
const flood = (count: number, accountId: string, webhook = (_index: number) => '') =>
  Array.from({ length: count }, (_, index) => event(accountId, webhook(index)));

/** Assigns positions to events and commits them. */
function assignAll(roundRobin: RoundRobin, events: WaitingJob[], lowestPosition: number | null) {
  const { positions, commit } = roundRobin.assign(events, lowestPosition);
  commit();
  return positions;
}

/** The ids of events in the order in which they are taken, if all of them get positions before the first is taken. */
function orderOf(...pushes: WaitingJob[][]): string[] {
  const roundRobin = createRoundRobin();
  const assigned: (readonly [string, number])[] = [];
  for (const events of pushes) {
    const lowest = assigned.length === 0 ? null : Math.min(...assigned.map(([, position]) => position));
    assigned.push(...assignAll(roundRobin, events, lowest));
  }
  return assigned.toSorted(([, first], [, second]) => first - second).map(([id]) => id);
}
/** How many events are taken before an event. */
const countBefore = (job: WaitingJob | undefined, order: string[]) => order.indexOf(job?.id ?? '');

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const usedHeap = () => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

describe('round-robin order', () => {
  test('an account with few events waits for one event of each flood', () => {
    const floods = ['a', 'b', 'c'].map((account) => flood(1_000, account));
    const few = flood(3, 'z');
    const order = orderOf(...floods, few);
    expect(few.map((job) => countBefore(job, order))).toEqual([3, 7, 11]);
  });

  test('a webhook with few events waits for one event of a flood for another webhook of its account', () => {
    const few = flood(3, 'a', () => 'healthy');
    const order = orderOf(
      flood(1_000, 'a', () => 'hung'),
      few,
    );
    expect(few.map((job) => countBefore(job, order))).toEqual([1, 3, 5]);
  });

  test('a flood over many webhooks delays another account by one round', () => {
    const few = flood(3, 'z');
    const order = orderOf(
      flood(1_000, 'a', (index) => `webhook ${index}`),
      few,
    );
    expect(countBefore(few[0], order)).toBeLessThanOrEqual(8);
    expect(countBefore(few[2], order)).toBeLessThanOrEqual(3 * 9);
  });

  test('events that name no account count as events of one account', () => {
    const few = flood(1, 'z');
    const order = orderOf(
      flood(1_000, '', (index) => `webhook ${index}`),
      few,
    );
    expect(countBefore(few[0], order)).toBeLessThanOrEqual(8);
  });

  test('a returning account comes neither after the flood that arrived meanwhile nor before events that waited', () => {
    const roundRobin = createRoundRobin();
    const [early] = assignAll(roundRobin, [event('z')], null).values();
    const positions = [...assignAll(roundRobin, flood(100, 'a'), early ?? 0).values()];
    // Half of the flood was taken.
    const first = positions[50] ?? 0;
    const [late] = assignAll(roundRobin, [event('z')], first).values();
    expect(late).toBe(first);
  });

  test('positions start again at 1 when nothing waits', () => {
    const roundRobin = createRoundRobin();
    assignAll(roundRobin, flood(100, 'a'), null);
    expect([...assignAll(roundRobin, flood(2, 'a'), null).values()]).toEqual([1, 9]);
  });

  test('an assignment that is not committed changes nothing', () => {
    const roundRobin = createRoundRobin();
    const assigned = [...roundRobin.assign(flood(3, 'a'), null).positions.values()];
    expect(assigned).toEqual([1, 9, 17]);
    expect([...assignAll(roundRobin, flood(3, 'a'), 1).values()]).toEqual(assigned);
    expect([...assignAll(roundRobin, flood(1, 'a'), 1).values()]).toEqual([25]);
  });

  test('events beyond the maximum position share it', () => {
    const roundRobin = createRoundRobin();
    const positions = assignAll(roundRobin, flood(3, 'a'), 2_000_000_000 - 8);
    expect([...positions.values()]).toEqual([2_000_000_000 - 8, 2_000_000_000, 2_000_000_000]);
  });

  test('the positions of 100,000 accounts are deleted after their events were fetched', () => {
    const roundRobin = createRoundRobin();
    const heapBefore = usedHeap();
    for (let first = 1; first <= 1_000; first++)
      assignAll(
        roundRobin,
        Array.from({ length: 100 }, (_, index) => event(`${first} ${index} ${'x'.repeat(500)}`)),
        first,
      );
    expect(usedHeap() - heapBefore).toBeLessThan(20_000_000);
  });

  test('for any events, each webhook keeps its order, and at most n + 1 events of another come before its n-th', () => {
    const drawnEvent = fc.record({
      accountId: fc.constantFrom('a', 'b', 'c'),
      webhookId: fc.constantFrom('', 'v', 'w'),
    });
    const pushes = fc.array(fc.array(drawnEvent, { minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(pushes, (drawnPushes) => {
        const events = drawnPushes.map((push) => push.map(({ accountId, webhookId }) => event(accountId, webhookId)));
        const order = orderOf(...events);
        const all = events.flat();
        expect(order.toSorted()).toEqual(all.map(({ id }) => id).toSorted());
        const groupOf = new Map(all.map(({ id, accountId, webhookId }) => [id, `${accountId} ${webhookId}`]));
        const groups = [...new Set(groupOf.values())];
        const aheadOf = (id: string, group: string) => {
          const ahead = order.slice(0, order.indexOf(id)).map((aheadId) => groupOf.get(aheadId));
          const others = groups.filter((other) => other !== group);
          return others.map((other) => ahead.filter((name) => name === other).length);
        };
        for (const group of groups) {
          const members = all.filter(({ id }) => groupOf.get(id) === group);
          expect(order.filter((id) => groupOf.get(id) === group)).toEqual(members.map(({ id }) => id));
          // Before the n-th event of a group, another group has at most n + 1 events. `nth` counts from 0.
          for (const [nth, { id }] of members.entries())
            expect(Math.max(0, ...aheadOf(id, group))).toBeLessThanOrEqual(nth + 2);
        }
      }),
    );
  });
});
