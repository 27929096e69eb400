import { describe, expect, test } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { openRounds, type Rounds, type WaitingEvent } from './rounds.js';

let made = 0;
const event = (accountId: string, webhookId = ''): WaitingEvent => ({ id: String(made++), accountId, webhookId });
const flood = (count: number, accountId: string, webhook = (_index: number) => '') =>
  Array.from({ length: count }, (_, index) => event(accountId, webhook(index)));

/** Places for these, which are kept. */
function placeAll(rounds: Rounds, events: WaitingEvent[], first: number | null) {
  const { places, keep } = rounds.plan(events, first);
  keep();
  return places;
}

/** In which order these are taken, when all of them are placed before the first is. */
function orderOf(...pushes: WaitingEvent[][]): string[] {
  const rounds = openRounds();
  const placed: (readonly [string, number])[] = [];
  for (const events of pushes) {
    const first = placed.length === 0 ? null : Math.min(...placed.map(([, place]) => place));
    placed.push(...placeAll(rounds, events, first));
  }
  return placed.toSorted(([, one], [, other]) => one - other).map(([id]) => id);
}
const before = (one: WaitingEvent | undefined, order: string[]) => order.indexOf(one?.id ?? '');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const usedHeap = () => {
  collect();
  return process.memoryUsage().heapUsed;
};

describe('the rounds in which events are taken', () => {
  test('an account with little waits for one event of each flood', () => {
    const floods = ['a', 'b', 'c'].map((account) => flood(1_000, account));
    const few = flood(3, 'z');
    const order = orderOf(...floods, few);
    expect(few.map((one) => before(one, order))).toEqual([3, 7, 11]);
  });

  test('so does a webhook beside a flood for another one of the same account', () => {
    const few = flood(3, 'a', () => 'healthy');
    const order = orderOf(
      flood(1_000, 'a', () => 'hung'),
      few,
    );
    expect(few.map((one) => before(one, order))).toEqual([1, 3, 5]);
  });

  test('a flood over many webhooks is no flood for others', () => {
    const few = flood(3, 'z');
    const order = orderOf(
      flood(1_000, 'a', (index) => `webhook ${index}`),
      few,
    );
    expect(before(few[0], order)).toBeLessThanOrEqual(8);
    expect(before(few[2], order)).toBeLessThanOrEqual(3 * 9);
  });

  test('those whose account is not known are as one', () => {
    const few = flood(1, 'z');
    const order = orderOf(
      flood(1_000, '', (index) => `webhook ${index}`),
      few,
    );
    expect(before(few[0], order)).toBeLessThanOrEqual(8);
  });

  test('who comes back later is not behind the flood that came meanwhile, nor before those who waited', () => {
    const rounds = openRounds();
    const [early] = placeAll(rounds, [event('z')], null).values();
    const places = [...placeAll(rounds, flood(100, 'a'), early ?? 0).values()];
    // Half of the flood was taken.
    const first = places[50] ?? 0;
    const [late] = placeAll(rounds, [event('z')], first).values();
    expect(late).toBe(first);
  });

  test('the first event of all begins again when nothing waits', () => {
    const rounds = openRounds();
    placeAll(rounds, flood(100, 'a'), null);
    expect([...placeAll(rounds, flood(2, 'a'), null).values()]).toEqual([1, 9]);
  });

  test('a plan that is not kept changes nothing', () => {
    const rounds = openRounds();
    const planned = [...rounds.plan(flood(3, 'a'), null).places.values()];
    expect(planned).toEqual([1, 9, 17]);
    expect([...placeAll(rounds, flood(3, 'a'), 1).values()]).toEqual(planned);
    expect([...placeAll(rounds, flood(1, 'a'), 1).values()]).toEqual([25]);
  });

  test('the last place there is holds all that come then', () => {
    const rounds = openRounds();
    const places = placeAll(rounds, flood(3, 'a'), 2_000_000_000 - 8);
    expect([...places.values()]).toEqual([2_000_000_000 - 8, 2_000_000_000, 2_000_000_000]);
  });

  test('a hundred thousand accounts are forgotten when their turn is over', () => {
    const rounds = openRounds();
    const before = usedHeap();
    for (let first = 1; first <= 1_000; first++)
      placeAll(
        rounds,
        Array.from({ length: 100 }, (_, index) => event(`${first} ${index} ${'x'.repeat(500)}`)),
        first,
      );
    expect(usedHeap() - before).toBeLessThan(20_000_000);
  });

  test('whatever is pushed, each webhook keeps its order, and nobody has more than his part of what comes before another', () => {
    const one = fc.record({ accountId: fc.constantFrom('a', 'b', 'c'), webhookId: fc.constantFrom('', 'v', 'w') });
    const pushes = fc.array(fc.array(one, { minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(pushes, (drawn) => {
        const events = drawn.map((push) => push.map(({ accountId, webhookId }) => event(accountId, webhookId)));
        const order = orderOf(...events);
        const all = events.flat();
        expect(order.toSorted()).toEqual(all.map(({ id }) => id).toSorted());
        const groupOf = new Map(all.map(({ id, accountId, webhookId }) => [id, `${accountId} ${webhookId}`]));
        const groups = [...new Set(groupOf.values())];
        const aheadOf = (id: string, group: string) => {
          const ahead = order.slice(0, order.indexOf(id)).map((one) => groupOf.get(one));
          const others = groups.filter((other) => other !== group);
          return others.map((other) => ahead.filter((name) => name === other).length);
        };
        for (const group of groups) {
          const members = all.filter(({ id }) => groupOf.get(id) === group);
          expect(order.filter((id) => groupOf.get(id) === group)).toEqual(members.map(({ id }) => id));
          // Before its n-th event, no other group has more than n, and what it may begin with besides.
          for (const [nth, { id }] of members.entries())
            expect(Math.max(0, ...aheadOf(id, group))).toBeLessThanOrEqual(nth + 2);
        }
      }),
    );
  });
});
