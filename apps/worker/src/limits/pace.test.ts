import { describe, expect, test } from '@jest/globals';
import { Pace } from './pace.js';
import { TakenCount } from './limited-webhook.js';

/** A pace, with a clock that stands at 0 unless a step advances it. */
function setUp() {
  let now = 0;
  const pace = new Pace(now);
  return {
    pace,
    advance: (ms: number) => void (now += ms),
    /** Sends one request as soon as it may start, and returns when that was. */
    send(): { at: number; epoch: number } {
      now += pace.msUntilNext(now);
      pace.start(now);
      return { at: now, epoch: pace.epoch };
    },
    refuse: ({ epoch = pace.epoch, requestedMs = null as number | null, takenPerSecond = 10 } = {}) =>
      pace.refuse(now, { epoch, requestedMs, takenPerSecond }),
    answer: (epoch = pace.epoch) => pace.answer(now, epoch),
    fail: () => pace.fail(now, pace.epoch),
    untilNext: () => pace.msUntilNext(now),
    countWithin: (ms: number) => pace.countWithin(now, ms),
    state: () => pace.state(now),
  };
}

describe('a pause', () => {
  test('doubles from 0.1 s to 30 s while probes are refused', () => {
    const { refuse, send } = setUp();
    const waits = [refuse()];
    for (let probes = 0; probes < 10; probes++) {
      send();
      waits.push(refuse());
    }
    expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
  });

  test('lasts for the Retry-After', () => {
    const { refuse, send, untilNext } = setUp();
    expect([refuse({ requestedMs: 5_000 }), untilNext()]).toEqual([5_000, 5_000]);
    send();
    expect([refuse(), untilNext()]).toEqual([100, 100]);
  });

  test('begins at 0.1 s again once three requests were answered', () => {
    const { refuse, send, answer } = setUp();
    refuse();
    send();
    refuse();
    for (const [answers, wait] of [
      [2, 400],
      [3, 100],
    ]) {
      for (let count = 0; count < answers!; count++) {
        send();
        answer();
      }
      send();
      expect(refuse()).toBe(wait);
    }
  });

  test('is not repeated by requests that were in flight when it began, but a longer Retry-After extends it', () => {
    const { refuse, untilNext } = setUp();
    refuse();
    expect([refuse({ epoch: 0 }), untilNext()]).toEqual([null, 100]);
    expect([refuse({ epoch: 0, requestedMs: 3_000 }), untilNext()]).toEqual([null, 3_000]);
    expect([refuse({ epoch: 0, requestedMs: 1_000 }), untilNext()]).toEqual([null, 3_000]);
  });

  test('ends with one probe, and nothing else starts until that is answered', () => {
    const { refuse, send, answer, untilNext, countWithin } = setUp();
    refuse();
    expect([countWithin(99), countWithin(100), countWithin(1_000)]).toEqual([0, 1, 1]);
    const { epoch } = send();
    expect([untilNext(), countWithin(1_000)]).toEqual([Infinity, 0]);
    answer(epoch - 1);
    expect(untilNext()).toBe(Infinity);
    answer(epoch);
    expect(countWithin(1_000)).toBe(9);
  });

  test('is repeated, not doubled, after a probe without a response', () => {
    const { refuse, send, fail, untilNext } = setUp();
    refuse();
    send();
    fail();
    expect(untilNext()).toBe(100);
    send();
    expect(refuse()).toBe(200);
  });
});

describe('the rate', () => {
  const rateAfterProbe = (...[takenPerSecond, rate]: [number, number?]) => {
    const { refuse, send, answer, state, pace } = setUp();
    if (rate !== undefined) pace.hear(0, { pauseMs: 0, rate, isSenior: true, sharesPauseOnly: false });
    if (rate !== undefined) {
      send();
      answer();
    }
    refuse({ takenPerSecond });
    return state().rate;
  };

  test.each([
    ['9/10 of what the receiver took in the last second', [10], 9],
    ['that of one a second if it took nothing', [0], 0.9],
    ['no more than 9/10 of the rate that was refused', [30, 10], 9],
    ['no less than 9/20 of the rate that was refused', [1, 10], 4.5],
    ['one in 30 s at least', [0, 0.04], 1 / 30],
  ] as const)('starts at %s', (_what, figures, expected) => {
    expect(rateAfterProbe(...(figures as unknown as [number, number?]))).toBeCloseTo(expected, 5);
  });

  /** The rates after each second of requests that are all answered. */
  const growthOf = (seconds: number, setUpPace: (sut: ReturnType<typeof setUp>) => void) => {
    const sut = setUp();
    setUpPace(sut);
    sut.send();
    sut.answer();
    const rates: number[] = [];
    let last = 0;
    let first: number | undefined;
    while (rates.length < seconds && !sut.pace.isOpen) {
      const { at } = sut.send();
      first ??= at;
      sut.answer();
      if (Math.floor((at - first) / 1_000) > last) {
        last = Math.floor((at - first) / 1_000);
        rates.push(Math.round(sut.state().rate * 10) / 10);
      }
    }
    return { rates, isOpen: sut.pace.isOpen };
  };

  test('grows by a tenth in the first second, and ever faster', () => {
    const { rates } = growthOf(5, ({ refuse }) => void refuse());
    expect(rates).toEqual([10.2, 11.4, 13, 15.1, 18.1]);
  });

  test.each([1, 10, 400])('from %i a second, needs no more than about 10 s to be without bound', (takenPerSecond) => {
    const { rates, isOpen } = growthOf(12, ({ refuse }) => void refuse({ takenPerSecond }));
    expect(isOpen).toBe(true);
    expect(rates.length).toBeLessThanOrEqual(11);
  });

  test('grows half as fast after each refusal that confirms its start', () => {
    const { rates } = growthOf(3, ({ refuse, send, answer }) => {
      refuse();
      send();
      answer();
      refuse();
    });
    expect(rates).toEqual([8.6, 9.1, 9.6]);
  });

  test('spaces requests evenly, and makes up for a timer that is late by up to 20 ms', () => {
    const { refuse, send, answer, advance } = setUp();
    refuse({ takenPerSecond: 100 });
    send();
    answer();
    const first = send();
    advance(500);
    const late = [send(), send(), send(), send()].map(({ at }) => Math.round(at - first.at));
    expect(late).toEqual([500, 500, 502, 513]);
  });
});

test('what a receiver took is counted in the last second', () => {
  const taken = new TakenCount();
  for (let at = 0; at < 2_500; at += 100) taken.add(at);
  expect([taken.perSecond(2_500), taken.perSecond(2_999), taken.perSecond(4_100)]).toEqual(
    [10, 5 + 10 * 0.001, 0].map((n) => expect.closeTo(n)),
  );
});

/** A receiver that takes what its bucket of tokens, or its window of a second, allows. */
const receivers: Record<string, (capacityAt: (at: number) => number) => (at: number) => boolean> = {
  bucket(capacityAt) {
    let [tokens, filledAt] = [capacityAt(0), 0];
    return (at) => {
      tokens = Math.min(capacityAt(at), tokens + ((at - filledAt) / 1_000) * capacityAt(at));
      filledAt = at;
      return tokens >= 1 && tokens-- > 0;
    };
  },
  window(capacityAt) {
    let [second, count] = [0, 0];
    return (at) => {
      if (second !== Math.floor(at / 1_000)) [second, count] = [Math.floor(at / 1_000), 0];
      return count++ < capacityAt(at);
    };
  },
  spaced(capacityAt) {
    let takenAt = -Infinity;
    return (at) => at - takenAt >= 1_000 / capacityAt(at) && (takenAt = at) === at;
  },
};

/** Sends as fast as a pace allows, with responses after 5 ms, and counts what was taken and refused. */
function simulate(takes: (at: number) => boolean, { requestedMs = null as number | null, seconds = 100 } = {}) {
  const pace = new Pace(0);
  const taken = new TakenCount();
  const counts = { taken: 0, refused: 0 };
  const ends: (() => void)[][] = [];
  for (let now = 0; now < seconds * 1_000; now++) {
    for (const end of ends.shift() ?? []) end();
    // Four attempts in flight, until the first refusal.
    let inFlight = ends.flat().length;
    while (pace.mayStart(now) && inFlight++ < 4) {
      pace.start(now);
      const { epoch } = pace;
      const isTaken = takes(now);
      counts[isTaken ? 'taken' : 'refused']++;
      const end = () => {
        if (isTaken) taken.add(now);
        if (isTaken) pace.answer(now, epoch);
        else pace.refuse(now, { epoch, requestedMs, takenPerSecond: taken.perSecond(now) });
      };
      while (ends.length < 5) ends.push([]);
      ends[4]!.push(end);
    }
  }
  return counts;
}

describe('a receiver that takes 10 a second', () => {
  test.each([
    ['bucket', null, 0.95, 0.03],
    ['bucket', 5_000, 0.55, 0.03],
    ['window', null, 0.9, 0.03],
    ['window', 5_000, 0.5, 0.03],
    ['spaced', null, 0.75, 0.04],
    ['spaced', 5_000, 0.45, 0.05],
  ] as const)(
    'with a %s and Retry-After %p is used to %p, and refuses %p at most',
    (kind, requestedMs, minUsed, maxRefused) => {
      const { taken, refused } = simulate(
        receivers[kind]!(() => 10),
        { requestedMs },
      );
      expect(taken / 1_000).toBeGreaterThan(minUsed);
      expect(refused / (taken + refused)).toBeLessThan(maxRefused);
    },
  );

  test('then 2, 50 and 10 again refuses few', () => {
    const capacityAt = (at: number) => [10, 2, 50, 10][Math.floor(at / 30_000)] ?? 10;
    const { taken, refused } = simulate(receivers['bucket']!(capacityAt), { seconds: 120 });
    expect(taken).toBeGreaterThan(1_000);
    expect(refused / (taken + refused)).toBeLessThan(0.04);
  });
});
