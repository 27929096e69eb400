import { describe, expect, test } from '@jest/globals';
import { drawBar, openProgress } from './progress.js';

function watch(isTTY: boolean, parts = 3) {
  const written: string[] = [];
  const progress = openProgress({ isTTY, columns: 60, write: (text) => written.push(text) }, parts);
  return { progress, written };
}

describe('progress', () => {
  test('is plain lines where there is no terminal', () => {
    const { progress, written } = watch(false);
    progress.part('latency');
    progress.say('warming up');
    progress.at(0.5);
    progress.close();
    expect(written).toEqual(['1/3 latency\n', '  … warming up\n']);
  });

  test('has no number when there is one part', () => {
    const { progress, written } = watch(false, 1);
    progress.part('replay');
    expect(written).toEqual(['replay\n']);
  });

  test('is one line on a terminal, never longer than that, and gone at the end', () => {
    const { progress, written } = watch(true);
    progress.part('latency');
    progress.say('a step with a name that is far too long for this terminal of sixty columns');
    progress.close();
    expect(written.every((text) => text.startsWith('\r\u001b[2K') && !text.includes('\n'))).toBe(true);
    expect(written.every((text) => text.length <= 60 + '\r\u001b[2K'.length)).toBe(true);
    expect(written.at(-1)).toBe('\r\u001b[2K');
  });

  test('shows how far a step is already with the step', () => {
    const { progress, written } = watch(true, 1);
    progress.part('replay');
    progress.say('1 of 2', 0.5);
    progress.close();
    expect(written.at(-2)).toContain(`replay: 1 of 2  ${drawBar(0.5)}`);
  });

  test.each([
    [0, '░░░░░░░░░░░░░░░░░░░░░░░░ 0 %'],
    [0.5, '████████████░░░░░░░░░░░░ 50 %'],
    [1, '████████████████████████ 100 %'],
  ])('%s is drawn as a bar', (share, bar) => expect(drawBar(share)).toBe(bar));
});
