import { describe, expect, test } from '@jest/globals';
import { cacheLookups, type ResolveHost } from './dns-cache.js';

const address = [{ address: '93.184.216.34', family: 4 }];

function open({ maxNames = 100, fail = false } = {}) {
  let now = 0;
  const asked: string[] = [];
  const gate: { isFailing: boolean; code?: string; hold?: Promise<void> } = { isFailing: fail };
  const resolve: ResolveHost = async (hostname) => {
    asked.push(hostname);
    await gate.hold;
    if (gate.isFailing) throw Object.assign(new Error('down'), { code: gate.code });
    return address;
  };
  const times = { ttlMs: 10_000, failureTtlMs: 1_000, useLastKnownAfterMs: 20, maxStaleMs: 3_600_000 };
  const cached = cacheLookups(resolve, { ...times, maxNames, now: () => now });
  const advance = (ms: number) => (now += ms);
  return { cached, asked, gate, advance };
}

describe('the cache of names', () => {
  test('a result is cached for its time to live', async () => {
    const { cached, asked, advance } = open();
    expect(await cached('a')).toEqual(address);
    advance(9_999);
    await cached('a');
    expect(asked).toEqual(['a']);
    advance(1);
    await cached('a');
    expect(asked).toEqual(['a', 'a']);
  });

  test('the time to live counts from the response', async () => {
    const { cached, asked, gate, advance } = open();
    let release = () => {};
    gate.hold = new Promise((resolve) => (release = resolve));
    const first = cached('a');
    advance(5_000);
    release();
    await first;
    advance(9_000);
    await cached('a');
    expect(asked).toEqual(['a']);
  });

  test('concurrent lookups of a name share one query', async () => {
    const { cached, asked } = open();
    await Promise.all(['a', 'b', 'a', 'a', 'b'].map(cached));
    expect(asked).toEqual(['a', 'b']);
  });

  test('a query without a response is shared for one time to live', async () => {
    const { cached, asked, gate, advance } = open();
    gate.hold = new Promise(() => {});
    void cached('a');
    advance(10_000);
    delete gate.hold;
    expect(await cached('a')).toEqual(address);
    expect(asked).toEqual(['a', 'a']);
  });

  test('while a query takes long, the last known addresses are used, for an hour', async () => {
    const { cached, asked, gate, advance } = open();
    await cached('a');
    gate.hold = new Promise(() => {});
    for (let use = 1; use <= 3; use++) {
      advance(10_000);
      expect([await cached('a'), await cached('a'), asked.length]).toEqual([address, address, 1 + use]);
    }
    advance(3_600_000);
    const answer = Promise.race([cached('a'), new Promise((resolve) => setTimeout(resolve, 100, 'nothing'))]);
    expect(await answer).toBe('nothing');
  });

  test('a response that a name does not exist replaces the last known addresses at once', async () => {
    const { cached, gate, advance } = open();
    await cached('a');
    advance(10_000);
    gate.isFailing = true;
    await expect(cached('a')).rejects.toThrow('down');
  });

  test('while no name server responds, the last known addresses are used, with a new query each second', async () => {
    const { cached, asked, gate, advance } = open();
    await cached('a');
    advance(10_000);
    Object.assign(gate, { isFailing: true, code: 'EAI_AGAIN' });
    expect([await cached('a'), await cached('a'), asked.length]).toEqual([address, address, 2]);
    advance(1_000);
    expect([await cached('a'), asked.length]).toEqual([address, 3]);
    await expect(cached('b')).rejects.toThrow('down');
    advance(3_600_000);
    await expect(cached('a')).rejects.toThrow('down');
  });

  test('a failure is cached for a second', async () => {
    const { cached, asked, gate, advance } = open({ fail: true });
    await expect(cached('a')).rejects.toThrow('down');
    advance(999);
    await expect(cached('a')).rejects.toThrow('down');
    expect(asked).toHaveLength(1);
    advance(1);
    gate.isFailing = false;
    expect(await cached('a')).toEqual(address);
  });

  test('the cache drops the oldest names at its limit', async () => {
    const { cached, asked } = open({ maxNames: 3 });
    for (const name of ['a', 'b', 'c', 'd', 'd', 'c', 'b', 'a']) await cached(name);
    expect(asked).toEqual(['a', 'b', 'c', 'd', 'a']);
  });
});
