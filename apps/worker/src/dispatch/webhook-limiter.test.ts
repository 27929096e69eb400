import { describe, expect, test } from '@jest/globals';
import { type WebhookLimiter, createWebhookLimiter, type Permit } from './lanes.js';

/** WebhookLimiter with a clock that only moves when told. */
function openScene(calls = 40) {
  let time = 0;
  const lanes = createWebhookLimiter({ calls, now: () => time });
  return { lanes, pass: (ms: number) => (time += ms) };
}

const fast = { durationMs: 5, answered: true };
const hung = { durationMs: 3_000, answered: false };

const roomOf = (lanes: WebhookLimiter, webhook: string) => lanes.plan()(webhook, `account of ${webhook}`, Infinity);

/** Enters as often as told; `waiting` are those that have no answer yet. */
async function enter(lanes: WebhookLimiter, webhook: string, times: number, account = `account of ${webhook}`) {
  const turns: Permit[] = [];
  let full = 0;
  let answered = 0;
  for (let index = 0; index < times; index++) {
    void lanes.acquire(webhook, account).then((permit) => {
      answered++;
      if (permit === 'saturated') full++;
      else turns.push(permit);
    });
  }
  await new Promise((resolve) => setImmediate(resolve));
  return { turns, full: () => full, waiting: () => times - answered };
}

/** The lanes look at themselves every 100 ms. */
const aLook = () => new Promise((resolve) => setTimeout(resolve, 150));

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a lane', () => {
  test('starts with 4 calls in flight, lets twice as many wait, and is full for the rest', async () => {
    const { lanes } = openScene();
    const { turns, full, waiting } = await enter(lanes, 'a', 20);
    expect([turns.length, waiting(), full()]).toEqual([4, 8, 8]);
  });

  test('admits who waits, in permit, as calls end', async () => {
    const { lanes } = openScene();
    const { turns, waiting } = await enter(lanes, 'a', 7);
    turns[0]!.release(fast);
    await settle();
    // One for the call that ended, and one because the lane is wider now.
    expect(waiting()).toBe(1);
    turns[1]!.release(fast);
    await settle();
    expect(waiting()).toBe(0);
  });

  test('widens by one with each fast answer while it is full, up to a quarter of all calls', async () => {
    const { lanes } = openScene(40);
    const widths: number[] = [];
    const { turns } = await enter(lanes, 'a', 4);
    for (let calls = 0; calls < 20; calls++) {
      turns.shift()!.release(fast);
      turns.push(...(await enter(lanes, 'a', roomOf(lanes, 'a'))).turns);
      widths.push(turns.length);
    }
    expect(widths).toEqual([5, 6, 7, 8, 9, ...Array(15).fill(10)]);
  });

  test('narrows to 2 when its receiver hangs, and lets nobody wait', async () => {
    const { lanes } = openScene();
    const first = await enter(lanes, 'a', 4);
    for (const permit of first.turns) permit.release(hung);
    const next = await enter(lanes, 'a', 5);
    expect([next.turns.length, next.waiting(), next.saturated()]).toEqual([2, 0, 3]);
  });

  test('sends away who waits as soon as a call has been in flight for half a second', async () => {
    const { lanes, pass } = openScene();
    const first = await enter(lanes, 'a', 6);
    expect(first.waiting()).toBe(2);
    pass(500);
    const late = await enter(lanes, 'a', 1);
    expect([first.saturated(), late.saturated()]).toEqual([2, 1]);
  });

  test('is fast again after one fast answer', async () => {
    const { lanes } = openScene();
    const first = await enter(lanes, 'a', 4);
    for (const permit of first.turns) permit.release(hung);
    const [permit] = (await enter(lanes, 'a', 1)).turns;
    permit!.release(fast);
    const next = await enter(lanes, 'a', 3);
    expect([next.turns.length, next.waiting(), next.saturated()]).toEqual([3, 0, 0]);
  });

  test('that answers slowly, but answers, may have 10 calls in flight', async () => {
    const { lanes } = openScene(100);
    for (let round = 0; round < 12; round++) {
      const { turns } = await enter(lanes, 'a', 30);
      for (const permit of turns) permit.release({ durationMs: 700, answered: true });
    }
    expect((await enter(lanes, 'a', 30)).turns).toHaveLength(10);
  });

  test('a permit that is given back twice counts once', async () => {
    const { lanes } = openScene();
    const { turns } = await enter(lanes, 'a', 1);
    turns[0]!.release(fast);
    turns[0]!.release(fast);
    expect(roomOf(lanes, 'a')).toBe(4);
  });
});

describe('a full lane', () => {
  test('is a slow one with all the calls that it may have, until one of them ends', async () => {
    const { lanes } = openScene();
    const first = await enter(lanes, 'a', 4);
    expect(lanes.saturated()).toEqual([]);
    for (const permit of first.turns) permit.release(hung);
    const { turns } = await enter(lanes, 'a', 2);
    await enter(lanes, 'b', 20);
    expect(lanes.saturated()).toEqual(['a']);
    turns[0]!.release(hung);
    expect(lanes.saturated()).toEqual([]);
  });

  test('is full no longer when its receiver answers fast', async () => {
    const { lanes } = openScene();
    const first = await enter(lanes, 'a', 4);
    for (const permit of first.turns) permit.release(hung);
    const { turns } = await enter(lanes, 'a', 2);
    turns[0]!.release(fast);
    await enter(lanes, 'a', 9);
    expect(lanes.saturated()).toEqual([]);
  });
});

describe('time', () => {
  test('sends away who waits though nobody comes or leaves', async () => {
    const { lanes, pass } = openScene();
    const { full, waiting } = await enter(lanes, 'a', 7);
    pass(500);
    await aLook();
    expect([full(), waiting()]).toEqual([3, 0]);
  });

  test('forgets a slow lane in which nobody was for a minute', async () => {
    const { lanes, pass } = openScene();
    for (const permit of (await enter(lanes, 'a', 4)).turns) permit.release(hung);
    pass(59_000);
    await aLook();
    expect(roomOf(lanes, 'a')).toBe(2);
    pass(1_000);
    await aLook();
    expect(roomOf(lanes, 'a')).toBe(4);
  });

  test('leaves half of all calls to the fast when wide lanes begin to hang', async () => {
    const { lanes, pass } = openScene(40);
    for (const webhook of ['a', 'b', 'c', 'd']) {
      const { turns } = await enter(lanes, webhook, 4);
      for (let round = 0; round < 10; round++) {
        turns.shift()!.release(fast);
        turns.push(...(await enter(lanes, webhook, roomOf(lanes, webhook))).turns);
      }
      expect(turns).toHaveLength(10);
    }
    const healthy = await enter(lanes, 'healthy', 6);
    expect([healthy.turns.length, healthy.waiting()]).toEqual([0, 6]);
    pass(500);
    await aLook();
    expect(healthy.turns).toHaveLength(4);
    let more = 0;
    for (let webhook = 0; webhook < 10; webhook++) more += (await enter(lanes, `healthy ${webhook}`, 4)).turns.length;
    expect(more).toBe(16);
  });
});

describe('an account of which as much hangs as may', () => {
  const openAccount = () => {
    const { lanes, pass } = openScene(40);
    const enterEach = async (name: string, count: number) => {
      const entered: Awaited<ReturnType<typeof enter>>[] = [];
      for (let webhook = 0; webhook < count; webhook++)
        entered.push(await enter(lanes, `${name} ${webhook}`, 1, 'one'));
      return () => ({
        turns: entered.reduce((sum, { turns }) => sum + turns.length, 0),
        waiting: entered.reduce((sum, { waiting }) => sum + waiting(), 0),
        full: entered.reduce((sum, { full }) => sum + full(), 0),
      });
    };
    return { lanes, pass, enterEach };
  };

  test('lets nobody wait any more in lanes that were not answered fast', async () => {
    const { lanes, pass, enterEach } = openAccount();
    const hung = await enterEach('hung', 50);
    const other = await enter(lanes, 'other', 13, 'another');
    expect([hung(), other.turns.length, other.waiting()]).toEqual([{ turns: 30, waiting: 20, full: 0 }, 4, 8]);
    pass(499);
    await aLook();
    expect(hung()).toEqual({ turns: 30, waiting: 20, full: 0 });
    pass(1);
    await aLook();
    expect(hung()).toEqual({ turns: 30, waiting: 0, full: 20 });
    // What hangs beyond its part is no loss of theirs.
    expect((await enterEach('later', 20))()).toEqual({ turns: 15, waiting: 0, full: 5 });
  });

  test('lets those wait that were', async () => {
    const { lanes, pass, enterEach } = openAccount();
    await enterEach('hung', 20);
    pass(300);
    const first = await enter(lanes, 'fast', 4, 'one');
    first.turns[0]!.release(fast);
    pass(200);
    await aLook();
    const { turns, waiting, full } = await enter(lanes, 'fast', 9, 'one');
    await aLook();
    expect([turns.length, waiting(), full()]).toEqual([2, 7, 0]);
  });
});

describe('a plan', () => {
  test('shares out what an account, a pace and all may have, beside what it shared out before', async () => {
    const { lanes } = openScene(40);
    for (let webhook = 0; webhook < 10; webhook++)
      for (const permit of (await enter(lanes, `hung ${webhook}`, 1, 'one')).turns) permit.release(hung);
    const take = lanes.plan();
    const shares = Array.from({ length: 10 }, (_, webhook) => take(`hung ${webhook}`, 'one', 9));
    expect(shares).toEqual([2, 2, 2, 2, 2, 2, 2, 1, 0, 0]);
    expect([take('fresh', 'one', 9), take('fresh', 'another', 3)]).toEqual([4, 3]);
    expect(lanes.plan()('hung 9', 'one', 9)).toBe(2);
  });
});

describe('a lane that answers late', () => {
  const late = { durationMs: 700, answered: true };

  test('has nothing to do with those that hang: such lanes have a quarter of all calls together', async () => {
    const { lanes } = openScene(40);
    for (let webhook = 0; webhook < 30; webhook++)
      for (const permit of (await enter(lanes, `hung ${webhook}`, 1)).turns) permit.release(hung);
    for (let webhook = 0; webhook < 30; webhook++) await enter(lanes, `hung ${webhook}`, 4);
    for (let webhook = 0; webhook < 5; webhook++)
      for (const permit of (await enter(lanes, `late ${webhook}`, 1)).turns) permit.release(late);
    let inFlight = 0;
    for (let webhook = 0; webhook < 5; webhook++) inFlight += (await enter(lanes, `late ${webhook}`, 4)).turns.length;
    expect(inFlight).toBe(10);
    expect((await enter(lanes, 'healthy', 4)).turns).toHaveLength(4);
  });

  test('is taken for one that hangs after two seconds, and not before', async () => {
    const { lanes, pass } = openScene(40);
    for (const permit of (await enter(lanes, 'late', 4)).turns) permit.release(late);
    await enter(lanes, 'late', 2);
    for (let webhook = 0; webhook < 30; webhook++)
      for (const permit of (await enter(lanes, `hung ${webhook}`, 1)).turns) permit.release(hung);
    for (let webhook = 0; webhook < 30; webhook++) await enter(lanes, `hung ${webhook}`, 4);
    pass(1_999);
    expect((await enter(lanes, 'late', 1)).turns).toHaveLength(1);
    pass(1);
    expect((await enter(lanes, 'late', 1)).saturated()).toBe(1);
  });
});

describe('all lanes', () => {
  test('the slow ones of an account have three quarters of what slow ones have', async () => {
    const { lanes } = openScene(40);
    let inFlight = 0;
    for (let webhook = 0; webhook < 30; webhook++)
      for (const permit of (await enter(lanes, `hung ${webhook}`, 1, 'one')).turns) permit.release(hung);
    for (let webhook = 0; webhook < 30; webhook++)
      inFlight += (await enter(lanes, `hung ${webhook}`, 4, 'one')).turns.length;
    expect(inFlight).toBe(15);
    for (const permit of (await enter(lanes, 'hung too', 4, 'another')).turns) permit.release(hung);
    expect((await enter(lanes, 'hung too', 4, 'another')).turns).toHaveLength(2);
  });

  test('those that hang have half of all calls at most, however many there are', async () => {
    const { lanes } = openScene(40);
    let inFlight = 0;
    for (let webhook = 0; webhook < 30; webhook++) {
      const first = await enter(lanes, `hung ${webhook}`, 4);
      for (const permit of first.turns) permit.release(hung);
    }
    for (let webhook = 0; webhook < 30; webhook++) inFlight += (await enter(lanes, `hung ${webhook}`, 4)).turns.length;
    expect(inFlight).toBe(20);
    expect((await enter(lanes, 'healthy', 4)).turns).toHaveLength(4);
  });

  test('an account has three quarters of all calls at most', async () => {
    const { lanes } = openScene(40);
    let inFlight = 0;
    for (let webhook = 0; webhook < 30; webhook++)
      inFlight += (await enter(lanes, `of one ${webhook}`, 4, 'one')).turns.length;
    expect(inFlight).toBe(30);
    expect((await enter(lanes, 'of another', 4, 'another')).turns).toHaveLength(4);
  });

  test('at the bound of all calls whoever waits is admitted when any call ends', async () => {
    const { lanes } = openScene(8);
    const entered = [];
    for (const webhook of ['one', 'two', 'three', 'four']) entered.push(await enter(lanes, webhook, 2));
    const late = await enter(lanes, 'late', 2);
    expect([...entered, late].map(({ turns }) => turns.length)).toEqual([2, 2, 2, 2, 0]);
    entered[0]!.turns[0]!.release(fast);
    await settle();
    expect([late.turns.length, late.waiting()]).toEqual([1, 1]);
  });
});
