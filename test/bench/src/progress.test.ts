import { describe, expect, test } from '@jest/globals';
import { drawBar, openProgress } from './progress.js';
import { faultsIn, formatResult } from './result.js';
import { describeLatency } from './statistics.js';

function watch(isTTY: boolean) {
  const written: string[] = [];
  const progress = openProgress({ isTTY, columns: 60, write: (text) => written.push(text) }, 3);
  return { progress, written };
}

describe('progress', () => {
  test('is plain lines where there is no terminal', () => {
    const { progress, written } = watch(false);
    progress.scenario('latency');
    progress.say('warming up');
    progress.at(0.5);
    progress.close();
    expect(written).toEqual(['1/3 latency\n', '  … warming up\n']);
  });

  test('is one line on a terminal, never longer than that, and gone at the end', () => {
    const { progress, written } = watch(true);
    progress.scenario('latency');
    progress.say('a step with a name that is far too long for this terminal of sixty columns');
    progress.close();
    expect(written.every((text) => text.startsWith('\r\u001b[2K') && !text.includes('\n'))).toBe(true);
    expect(written.every((text) => text.length <= 60 + '\r\u001b[2K'.length)).toBe(true);
    expect(written.at(-1)).toBe('\r\u001b[2K');
  });

  test.each([
    [0, '░░░░░░░░░░░░░░░░░░░░░░░░ 0 %'],
    [0.5, '████████████░░░░░░░░░░░░ 50 %'],
    [1, '████████████████████████ 100 %'],
  ])('%s is drawn as a bar', (share, bar) => expect(drawBar(share)).toBe(bar));
});

describe('results', () => {
  test('percentiles are by nearest rank', () => {
    const durations = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect(describeLatency(durations)).toEqual({ count: 200, p50: 100, p95: 190, p99: 198, max: 200 });
  });

  test('what is missing, repeated or not answered well is a fault', () => {
    const rows = [
      { missing: 0, repeated: 0, errors: 0 },
      { missing: 2, repeated: 1, 'unexpected calls': -3 },
    ];
    expect(faultsIn({ scenario: 'retries', title: '', rows })).toEqual([
      'retries, row 2: missing 2',
      'retries, row 2: repeated 1',
      'retries, row 2: unexpected calls -3',
    ]);
  });

  test('a table has a column for every figure that a row has', () => {
    const rows = [
      { load: 'idle', 'p99 ms': 1.234 },
      { load: '50 %', 'p99 ms': 12.34, late: 1234 },
    ];
    expect(formatResult({ scenario: 'latency', title: 'Latency', rows })).toBe(
      'Latency\n  load  p99 ms   late\n  idle    1.23       \n  50 %    12.3  1,234\n',
    );
  });
});
