import { describe, expect, test } from '@jest/globals';
import { createProgress, drawBar } from './progress.js';

function createTestProgress({ isTTY, partCount = 3 }: { isTTY: boolean; partCount?: number }) {
  const written: string[] = [];
  const progress = createProgress({ isTTY, columns: 60, write: (text) => written.push(text) }, partCount);
  return { progress, written };
}

describe('progress', () => {
  test('is plain lines without a terminal', () => {
    const { progress, written } = createTestProgress({ isTTY: false });
    progress.startPart('latency');
    progress.setStep('warming up');
    progress.setFraction(0.5);
    progress.close();
    expect(written).toEqual(['1/3 latency\n', '  … warming up\n']);
  });

  test('has no part number when there is one part', () => {
    const { progress, written } = createTestProgress({ isTTY: false, partCount: 1 });
    progress.startPart('replay');
    expect(written).toEqual(['replay\n']);
  });

  test('is one line on a terminal, which fits the width of the terminal and is cleared at the end', () => {
    const { progress, written } = createTestProgress({ isTTY: true });
    progress.startPart('latency');
    progress.setStep('a step with a name that is far too long for this terminal of sixty columns');
    progress.close();
    expect(written.every((text) => text.startsWith('\r\u001b[2K') && !text.includes('\n'))).toBe(true);
    expect(written.every((text) => text.length <= 60 + '\r\u001b[2K'.length)).toBe(true);
    expect(written.at(-1)).toBe('\r\u001b[2K');
  });

  test('shows a step together with its completed fraction', () => {
    const { progress, written } = createTestProgress({ isTTY: true, partCount: 1 });
    progress.startPart('replay');
    progress.setStep('1 of 2', 0.5);
    progress.close();
    expect(written.at(-2)).toContain(`replay: 1 of 2  ${drawBar(0.5)}`);
  });

  test.each([
    [0, '░░░░░░░░░░░░░░░░░░░░░░░░ 0 %'],
    [0.5, '████████████░░░░░░░░░░░░ 50 %'],
    [1, '████████████████████████ 100 %'],
  ])('draws the fraction %s as a bar', (fraction, bar) => expect(drawBar(fraction)).toBe(bar));
});
