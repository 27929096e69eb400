import { describe, expect, test } from '@jest/globals';
import type { PaceAnnouncement } from '@ringback/ledger';
import type { AttemptEnd } from './limited-webhook.js';
import { ConcurrencyLimiter } from './limiter.js';

/** A limiter with a clock that the test advances. Its attempts in flight are checked when the test says so. */
function setUp(concurrency = 40, onLeasable = () => {}) {
  let time = 0;
  let check: () => void = () => undefined;
  const repeat = (limitersCheck: () => void) => {
    check = limitersCheck;
    return () => (check = () => undefined);
  };
  let due: { at: number; check: () => void } | undefined;
  const after = (ms: number, run: () => void) => {
    const one = (due = { at: time + ms, check: run });
    return () => void (due === one && (due = undefined));
  };
  const announced: PaceAnnouncement[] = [];
  const announce = (announcement: PaceAnnouncement) => void announced.push(announcement);
  const limiter = new ConcurrencyLimiter({ concurrency, announce, onLeasable, now: () => time, repeat, after });
  const checkInFlight = () => {
    check();
    return nextTurn();
  };
  /** Advances the clock, and runs what should run by then. */
  const advance = (ms: number) => {
    time += ms;
    const one = due;
    if (!one || one.at > time) return;
    due = undefined;
    one.check();
  };
  return { limiter, advance, checkInFlight, announced };
}

const fast = { durationMs: 5, hasResponse: true };
const unresponsive = { durationMs: 3_000, hasResponse: false };

const availableTo = (limiter: ConcurrencyLimiter, webhook: string) =>
  limiter.createClaimBudget().reserve(webhook, `account of ${webhook}`, Infinity);

/** A permit whose attempt started. With a `timing`, the end of the attempt is reported before the release. */
type StartedPermit = { release(end?: AttemptEnd): void };

/** Asks for `times` permits, and starts an attempt with each; `waiting` counts the requests that have not resolved. */
async function acquire(limiter: ConcurrencyLimiter, webhook: string, times: number, account = `account of ${webhook}`) {
  const permits: StartedPermit[] = [];
  let denied = 0;
  let resolved = 0;
  for (let index = 0; index < times; index++) {
    void limiter.acquire(webhook, account).then((permit) => {
      resolved++;
      if (permit === null) return void denied++;
      permit.tryStartRequest();
      permits.push({
        release(end) {
          if (end) permit.reportRequestEnd(end);
          permit.release();
        },
      });
    });
  }
  await new Promise((resolve) => setImmediate(resolve));
  return { permits, denied: () => denied, waiting: () => times - resolved };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('a webhook', () => {
  test('has 4 permits at first, lets 8 attempts wait for one, and denies the others', async () => {
    const { limiter } = setUp();
    const { permits, denied, waiting } = await acquire(limiter, 'a', 20);
    expect([permits.length, waiting(), denied()]).toEqual([4, 8, 8]);
  });

  test('gives permits to waiting attempts in their order, as attempts end', async () => {
    const { limiter } = setUp();
    const { permits, waiting } = await acquire(limiter, 'a', 7);
    permits[0]!.release(fast);
    await nextTurn();
    // One for the attempt that ended, and one because the limit is higher now.
    expect(waiting()).toBe(1);
    permits[1]!.release(fast);
    await nextTurn();
    expect(waiting()).toBe(0);
  });

  test('gets one permit more per fast response if all are in use, up to a quarter of `concurrency`', async () => {
    const { limiter } = setUp(40);
    const limits: number[] = [];
    const { permits } = await acquire(limiter, 'a', 4);
    for (let attempts = 0; attempts < 20; attempts++) {
      permits.shift()!.release(fast);
      permits.push(...(await acquire(limiter, 'a', availableTo(limiter, 'a'))).permits);
      limits.push(permits.length);
    }
    expect(limits).toEqual([5, 6, 7, 8, 9, ...Array(15).fill(10)]);
  });

  test('has 2 permits when its receiver is unresponsive, and no attempt waits', async () => {
    const { limiter } = setUp();
    const first = await acquire(limiter, 'a', 4);
    for (const permit of first.permits) permit.release(unresponsive);
    const next = await acquire(limiter, 'a', 5);
    expect([next.permits.length, next.waiting(), next.denied()]).toEqual([2, 0, 3]);
  });

  test('denies waiting attempts as soon as an attempt has been in flight for half a second', async () => {
    const { limiter, advance } = setUp();
    const first = await acquire(limiter, 'a', 6);
    expect(first.waiting()).toBe(2);
    advance(500);
    const late = await acquire(limiter, 'a', 1);
    expect([first.denied(), late.denied()]).toEqual([2, 1]);
  });

  test('is not unresponsive while its attempts are prepared', async () => {
    const { limiter, advance } = setUp();
    for (let attempts = 0; attempts < 4; attempts++) await limiter.acquire('a', 'account of a');
    advance(500);
    const { waiting, denied } = await acquire(limiter, 'a', 2);
    expect([waiting(), denied()]).toEqual([2, 0]);
  });

  test('is healthy again after one fast response', async () => {
    const { limiter } = setUp();
    const first = await acquire(limiter, 'a', 4);
    for (const permit of first.permits) permit.release(unresponsive);
    const [permit] = (await acquire(limiter, 'a', 1)).permits;
    permit!.release(fast);
    const next = await acquire(limiter, 'a', 3);
    expect([next.permits.length, next.waiting(), next.denied()]).toEqual([3, 0, 0]);
  });

  test('with a slow receiver has 10 permits', async () => {
    const { limiter } = setUp(100);
    for (let round = 0; round < 12; round++) {
      const { permits } = await acquire(limiter, 'a', 30);
      for (const permit of permits) permit.release({ durationMs: 700, hasResponse: true });
    }
    expect((await acquire(limiter, 'a', 30)).permits).toHaveLength(10);
  });

  test('gets a permit back once, however often it is released', async () => {
    const { limiter } = setUp();
    const { permits } = await acquire(limiter, 'a', 1);
    permits[0]!.release(fast);
    permits[0]!.release(fast);
    expect(availableTo(limiter, 'a')).toBe(4);
  });
});

describe('a blocked webhook', () => {
  test('is listed while it is unresponsive and uses all its permits', async () => {
    const { limiter } = setUp();
    const first = await acquire(limiter, 'a', 4);
    expect(limiter.listBlockedWebhooks()).toEqual([]);
    for (const permit of first.permits) permit.release(unresponsive);
    const { permits } = await acquire(limiter, 'a', 2);
    await acquire(limiter, 'b', 20);
    expect(limiter.listBlockedWebhooks()).toEqual(['a']);
    permits[0]!.release(unresponsive);
    expect(limiter.listBlockedWebhooks()).toEqual([]);
  });

  test('is not listed when its receiver is healthy', async () => {
    const { limiter } = setUp();
    const first = await acquire(limiter, 'a', 4);
    for (const permit of first.permits) permit.release(unresponsive);
    const { permits } = await acquire(limiter, 'a', 2);
    permits[0]!.release(fast);
    await acquire(limiter, 'a', 9);
    expect(limiter.listBlockedWebhooks()).toEqual([]);
  });
});

describe('as time passes, the limiter', () => {
  test('denies waiting attempts even while no attempt starts or ends', async () => {
    const { limiter, advance, checkInFlight } = setUp();
    const { denied, waiting } = await acquire(limiter, 'a', 7);
    advance(500);
    await checkInFlight();
    expect([denied(), waiting()]).toEqual([3, 0]);
  });

  test('drops an unhealthy webhook that has held no permit for a minute', async () => {
    const { limiter, advance, checkInFlight } = setUp();
    for (const permit of (await acquire(limiter, 'a', 4)).permits) permit.release(unresponsive);
    advance(59_000);
    await checkInFlight();
    expect(availableTo(limiter, 'a')).toBe(2);
    advance(1_000);
    await checkInFlight();
    expect(availableTo(limiter, 'a')).toBe(4);
  });

  test('leaves half of `concurrency` to healthy webhooks when others become unresponsive', async () => {
    const { limiter, advance, checkInFlight } = setUp(40);
    for (const webhook of ['a', 'b', 'c', 'd']) {
      const { permits } = await acquire(limiter, webhook, 4);
      for (let round = 0; round < 10; round++) {
        permits.shift()!.release(fast);
        permits.push(...(await acquire(limiter, webhook, availableTo(limiter, webhook))).permits);
      }
      expect(permits).toHaveLength(10);
    }
    const healthy = await acquire(limiter, 'healthy', 6);
    expect([healthy.permits.length, healthy.waiting()]).toEqual([0, 6]);
    advance(500);
    await checkInFlight();
    expect(healthy.permits).toHaveLength(4);
    let more = 0;
    for (let webhook = 0; webhook < 10; webhook++)
      more += (await acquire(limiter, `healthy ${webhook}`, 4)).permits.length;
    expect(more).toBe(16);
  });
});

describe('an account whose quota of unresponsive attempts is exhausted', () => {
  const openAccount = () => {
    const { limiter, advance, checkInFlight } = setUp(40);
    const acquireEach = async (name: string, count: number) => {
      const acquired: Awaited<ReturnType<typeof acquire>>[] = [];
      for (let webhook = 0; webhook < count; webhook++)
        acquired.push(await acquire(limiter, `${name} ${webhook}`, 1, 'one'));
      return () => ({
        permits: acquired.reduce((sum, { permits }) => sum + permits.length, 0),
        waiting: acquired.reduce((sum, { waiting }) => sum + waiting(), 0),
        denied: acquired.reduce((sum, { denied }) => sum + denied(), 0),
      });
    };
    return { limiter, advance, checkInFlight, acquireEach };
  };

  test('has no waiting attempts of webhooks that were never healthy', async () => {
    const { limiter, advance, checkInFlight, acquireEach } = openAccount();
    const unresponsive = await acquireEach('unresponsive', 50);
    const other = await acquire(limiter, 'other', 13, 'another');
    expect([unresponsive(), other.permits.length, other.waiting()]).toEqual([
      { permits: 30, waiting: 20, denied: 0 },
      4,
      8,
    ]);
    advance(499);
    await checkInFlight();
    expect(unresponsive()).toEqual({ permits: 30, waiting: 20, denied: 0 });
    advance(1);
    await checkInFlight();
    expect(unresponsive()).toEqual({ permits: 30, waiting: 0, denied: 20 });
    // Unresponsive attempts beyond the quota do not reduce what others may use.
    expect((await acquireEach('later', 20))()).toEqual({ permits: 15, waiting: 0, denied: 5 });
  });

  test('keeps the waiting attempts of webhooks that were healthy', async () => {
    const { limiter, advance, checkInFlight, acquireEach } = openAccount();
    await acquireEach('unresponsive', 20);
    advance(300);
    const first = await acquire(limiter, 'fast', 4, 'one');
    first.permits[0]!.release(fast);
    advance(200);
    await checkInFlight();
    const { permits, waiting, denied } = await acquire(limiter, 'fast', 9, 'one');
    await checkInFlight();
    expect([permits.length, waiting(), denied()]).toEqual([2, 7, 0]);
  });
});

describe('the budget of a claim', () => {
  test('stays within all quotas, and counts what it reserved before', async () => {
    const { limiter } = setUp(40);
    for (let webhook = 0; webhook < 10; webhook++)
      for (const permit of (await acquire(limiter, `unresponsive ${webhook}`, 1, 'one')).permits)
        permit.release(unresponsive);
    const budget = limiter.createClaimBudget();
    const shares = Array.from({ length: 10 }, (_, webhook) => budget.reserve(`unresponsive ${webhook}`, 'one', 9));
    expect(shares).toEqual([2, 2, 2, 2, 2, 2, 2, 1, 0, 0]);
    expect([budget.reserve('fresh', 'one', 9), budget.reserve('fresh', 'another', 3)]).toEqual([4, 3]);
    expect(limiter.createClaimBudget().reserve('unresponsive 9', 'one', 9)).toBe(2);
  });
});

describe('a slow webhook', () => {
  const slow = { durationMs: 700, hasResponse: true };

  test('uses the quota of slow webhooks, a quarter of `concurrency`, not that of unresponsive ones', async () => {
    const { limiter } = setUp(40);
    for (let webhook = 0; webhook < 30; webhook++)
      for (const permit of (await acquire(limiter, `unresponsive ${webhook}`, 1)).permits) permit.release(unresponsive);
    for (let webhook = 0; webhook < 30; webhook++) await acquire(limiter, `unresponsive ${webhook}`, 4);
    for (let webhook = 0; webhook < 5; webhook++)
      for (const permit of (await acquire(limiter, `slow ${webhook}`, 1)).permits) permit.release(slow);
    let inFlight = 0;
    for (let webhook = 0; webhook < 5; webhook++)
      inFlight += (await acquire(limiter, `slow ${webhook}`, 4)).permits.length;
    expect(inFlight).toBe(10);
    expect((await acquire(limiter, 'healthy', 4)).permits).toHaveLength(4);
  });

  test('counts as unresponsive when an attempt has been in flight for 2 s, and not before', async () => {
    const { limiter, advance } = setUp(40);
    for (const permit of (await acquire(limiter, 'late', 4)).permits) permit.release(slow);
    await acquire(limiter, 'late', 2);
    for (let webhook = 0; webhook < 30; webhook++)
      for (const permit of (await acquire(limiter, `unresponsive ${webhook}`, 1)).permits) permit.release(unresponsive);
    for (let webhook = 0; webhook < 30; webhook++) await acquire(limiter, `unresponsive ${webhook}`, 4);
    advance(1_999);
    expect((await acquire(limiter, 'late', 1)).permits).toHaveLength(1);
    advance(1);
    expect((await acquire(limiter, 'late', 1)).denied()).toBe(1);
  });
});

describe('the quotas', () => {
  test('give the unresponsive webhooks of one account three eighths of `concurrency`', async () => {
    const { limiter } = setUp(40);
    let inFlight = 0;
    for (let webhook = 0; webhook < 30; webhook++)
      for (const permit of (await acquire(limiter, `unresponsive ${webhook}`, 1, 'one')).permits)
        permit.release(unresponsive);
    for (let webhook = 0; webhook < 30; webhook++)
      inFlight += (await acquire(limiter, `unresponsive ${webhook}`, 4, 'one')).permits.length;
    expect(inFlight).toBe(15);
    for (const permit of (await acquire(limiter, 'unresponsive too', 4, 'another')).permits)
      permit.release(unresponsive);
    expect((await acquire(limiter, 'unresponsive too', 4, 'another')).permits).toHaveLength(2);
  });

  test('give all unresponsive webhooks together half of `concurrency`', async () => {
    const { limiter } = setUp(40);
    let inFlight = 0;
    for (let webhook = 0; webhook < 30; webhook++) {
      const first = await acquire(limiter, `unresponsive ${webhook}`, 4);
      for (const permit of first.permits) permit.release(unresponsive);
    }
    for (let webhook = 0; webhook < 30; webhook++)
      inFlight += (await acquire(limiter, `unresponsive ${webhook}`, 4)).permits.length;
    expect(inFlight).toBe(20);
    expect((await acquire(limiter, 'healthy', 4)).permits).toHaveLength(4);
  });

  test('give one account three quarters of `concurrency`', async () => {
    const { limiter } = setUp(40);
    let inFlight = 0;
    for (let webhook = 0; webhook < 30; webhook++)
      inFlight += (await acquire(limiter, `of one ${webhook}`, 4, 'one')).permits.length;
    expect(inFlight).toBe(30);
    expect((await acquire(limiter, 'of another', 4, 'another')).permits).toHaveLength(4);
  });

  test('let a waiting attempt start when any attempt ends, if all permits are in use', async () => {
    const { limiter } = setUp(8);
    const acquired = [];
    for (const webhook of ['one', 'two', 'three', 'four']) acquired.push(await acquire(limiter, webhook, 2));
    const late = await acquire(limiter, 'late', 2);
    expect([...acquired, late].map(({ permits }) => permits.length)).toEqual([2, 2, 2, 2, 0]);
    acquired[0]!.permits[0]!.release(fast);
    await nextTurn();
    expect([late.permits.length, late.waiting()]).toEqual([1, 1]);
  });
});

describe('waiting attempts', () => {
  const webhooksOf = (account: string, count: number) =>
    Array.from({ length: count }, (_, index) => [`${account} ${index}`, account] as const);

  /**
   * Lets each webhook have 12 attempts in flight or waiting, and ends 1,000 attempts, the oldest first. Each attempt
   * that ends is followed by another one of its webhook. Returns how many attempts each webhook started.
   */
  const countStarts = async (webhooks: (readonly [string, string])[]) => {
    const { limiter } = setUp(40);
    const starts = new Map(webhooks.map(([webhook]) => [webhook, 0]));
    const inFlight: (() => void)[] = [];
    const ask = (webhook: string, account: string) =>
      void limiter.acquire(webhook, account).then((permit) => {
        if (permit === null) return;
        starts.set(webhook, starts.get(webhook)! + 1);
        permit.tryStartRequest();
        inFlight.push(() => {
          permit.reportRequestEnd(fast);
          permit.release();
          ask(webhook, account);
        });
      });
    for (const [webhook, account] of webhooks) for (let times = 0; times < 12; times++) ask(webhook, account);
    await nextTurn();
    for (let ended = 0; ended < 1_000; ended++) {
      inFlight.shift()!();
      await nextTurn();
    }
    return [...starts.values()];
  };
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);

  test('of one webhook use its permits as soon as they are free', async () => {
    expect(await countStarts(webhooksOf('one', 1))).toEqual([1_010]);
  });

  test('of all webhooks of an account at its quota start equally often', async () => {
    const starts = await countStarts(webhooksOf('one', 40));
    expect([Math.min(...starts), Math.max(...starts)]).toEqual([25, 29]);
  });

  test('of all accounts start equally often when all permits are in use', async () => {
    const starts = await countStarts([...webhooksOf('one', 8), ...webhooksOf('two', 8), ...webhooksOf('three', 4)]);
    const ofAccounts = [starts.slice(0, 8), starts.slice(8, 16), starts.slice(16)].map(sum);
    expect(Math.min(...ofAccounts)).toBeGreaterThanOrEqual(333);
    expect(Math.min(...starts)).toBeGreaterThanOrEqual(41);
  });

  test('of a webhook keep their turn when further attempts of the webhook start to wait', async () => {
    const { limiter } = setUp(8);
    const acquired = [];
    for (const webhook of ['a', 'b', 'c']) acquired.push(await acquire(limiter, webhook, 2, 'one'));
    const early = await acquire(limiter, 'early', 1, 'one');
    const late = await acquire(limiter, 'late', 1, 'one');
    await acquire(limiter, 'early', 1, 'one');
    acquired[0]!.permits[0]!.release(fast);
    await nextTurn();
    expect([early.waiting(), late.waiting()]).toEqual([0, 1]);
  });
});

describe('a webhook whose receiver is overloaded', () => {
  const refused = { ...fast, overload: { requestedMs: null } };
  const refusedFor = (requestedMs: number) => ({ ...fast, overload: { requestedMs } });

  test('has one permit after the pause, whatever its limit, and more at its rate when that one is answered', async () => {
    const { limiter, advance } = setUp();
    const { permits, waiting, denied } = await acquire(limiter, 'a', 6);
    permits.shift()!.release(fast);
    permits.shift()!.release(refused);
    await nextTurn();
    // The first answer admitted the two that waited.
    expect([waiting(), denied()]).toEqual([0, 0]);
    expect(availableTo(limiter, 'a')).toBe(1);
    const probe = await acquire(limiter, 'a', 2);
    expect([probe.permits.length, probe.waiting(), probe.denied()]).toEqual([0, 1, 1]);
    advance(100);
    await nextTurn();
    expect(probe.permits).toHaveLength(1);
    expect(availableTo(limiter, 'a')).toBe(0);
    probe.permits[0]!.release(fast);
    // One was taken in the last second, so the rate is 0.9 a second: the next one may start in 1.1 s.
    expect(availableTo(limiter, 'a')).toBe(0);
    advance(112);
    expect(availableTo(limiter, 'a')).toBe(1);
  });

  test('starts no attempt for which the permit was granted before the refusal', async () => {
    const { limiter, advance } = setUp();
    const prepared = (await limiter.acquire('a', 'account of a'))!;
    const { permits } = await acquire(limiter, 'a', 1);
    permits[0]!.release(refused);
    expect(prepared.tryStartRequest()).toBe(false);
    prepared.release();
    advance(100);
    expect((await limiter.acquire('a', 'account of a'))!.tryStartRequest()).toBe(true);
  });

  test('is refused once by many requests in flight, and its waits end', async () => {
    const { limiter, announced } = setUp();
    const { permits, denied } = await acquire(limiter, 'a', 12);
    for (const permit of permits.splice(0)) permit.release(refused);
    await nextTurn();
    expect(denied()).toBe(8);
    expect(announced.map(({ paces }) => paces)).toEqual([
      [{ webhookId: 'a', accountId: 'account of a', pauseMs: 100, rate: 0.9 }],
    ]);
  });

  test('holds no permits, leases or waits during a long pause, and says when to look again', async () => {
    const { limiter } = setUp();
    const { permits } = await acquire(limiter, 'a', 1);
    permits[0]!.release(refusedFor(60_000));
    const { denied } = await acquire(limiter, 'a', 3);
    expect(denied()).toBe(3);
    const budget = limiter.createClaimBudget();
    expect(budget.reserve('a', 'account of a', 50)).toBe(0);
    expect(budget.waitMs()).toBe(59_000);
    expect(limiter.listBlockedWebhooks()).toEqual(['a']);
    expect(availableTo(limiter, 'b')).toBe(4);
  });

  test('gets no more leases while deliveries wait for its pace, and says so when the last one has started', async () => {
    let callCount = 0;
    const { limiter, advance } = setUp(40, () => callCount++);
    const { permits } = await acquire(limiter, 'a', 1);
    permits[0]!.release(refused);
    await acquire(limiter, 'a', 1);
    const budget = limiter.createClaimBudget();
    expect([budget.reserve('a', 'account of a', 50), budget.waitMs(), callCount]).toEqual([0, Infinity, 0]);
    advance(100);
    expect(callCount).toBe(1);
  });

  test('allows another probe when the first one is not sent', async () => {
    const { limiter, advance } = setUp();
    const { permits } = await acquire(limiter, 'a', 1);
    permits[0]!.release(refused);
    advance(100);
    const probe = (await limiter.acquire('a', 'account of a'))!;
    expect(availableTo(limiter, 'a')).toBe(0);
    probe.release();
    expect(availableTo(limiter, 'a')).toBe(1);
  });

  test('is forgotten a minute after its last attempt', async () => {
    const { limiter, advance, checkInFlight } = setUp();
    const { permits } = await acquire(limiter, 'a', 1);
    permits[0]!.release(refused);
    advance(59_999);
    await checkInFlight();
    expect([limiter.overloadedCount, availableTo(limiter, 'a')]).toEqual([1, 1]);
    advance(1);
    await checkInFlight();
    expect([limiter.overloadedCount, availableTo(limiter, 'a')]).toEqual([0, 4]);
  });
});

describe('two workers and an overloaded receiver', () => {
  const refused = { ...fast, overload: { requestedMs: 5_000 } };

  test('send through the one that was refused, until it is silent for 3 s', async () => {
    const [one, other] = [setUp(), setUp()];
    const advanceBoth = async (ms: number) => {
      for (const { advance, checkInFlight } of [one, other]) {
        advance(ms);
        await checkInFlight();
      }
      for (const announcement of one.announced.splice(0)) other.limiter.hear(announcement);
    };
    const { permits } = await acquire(one.limiter, 'a', 1);
    const early = (await other.limiter.acquire('a', 'account of a'))!;
    permits[0]!.release(refused);
    await advanceBoth(0);
    expect(early.tryStartRequest()).toBe(false);
    early.release();
    for (let second = 0; second < 5; second++) await advanceBoth(1_000);
    expect([one.limiter.overloadedCount, other.limiter.overloadedCount]).toEqual([1, 0]);
    expect([availableTo(one.limiter, 'a'), availableTo(other.limiter, 'a')]).toEqual([1, 0]);
    other.advance(3_000);
    expect(availableTo(other.limiter, 'a')).toBe(1);
  });

  test('agree on one of them when both were refused', async () => {
    const both = [setUp(), setUp()];
    for (const { limiter } of both) (await acquire(limiter, 'a', 1)).permits[0]!.release(refused);
    const [one, other] = both.map(({ announced }) => announced[0]!);
    both[0]!.limiter.hear(other!);
    both[1]!.limiter.hear(one!);
    expect(both.map(({ limiter }) => limiter.overloadedCount).toSorted((a, b) => a - b)).toEqual([0, 1]);
  });

  test('share only the pauses when neither makes the attempts of the other', async () => {
    const { limiter, advance, announced } = setUp();
    const { permits } = await acquire(limiter, 'a', 1);
    permits[0]!.release(refused);
    const paces = announced[0]!.paces;
    const other = setUp();
    other.limiter.hear({ workerId: 'another', channels: ['rcs'], paces });
    expect(availableTo(other.limiter, 'a')).toBe(0);
    other.advance(5_000);
    expect(availableTo(other.limiter, 'a')).toBe(1);
    other.limiter.hear({ workerId: 'another', channels: ['rcs'], paces: [{ ...paces[0]!, pauseMs: 0 }] });
    expect(availableTo(other.limiter, 'a')).toBe(1);
    advance(0);
  });
});
