import { createRequire } from 'node:module';
import type jestSequencer from '@jest/test-sequencer';

type Tests = Parameters<jestSequencer.default['sort']>[0];

const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as typeof jestSequencer;

// On a fresh clone Jest knows only the sizes of the test files. These files are small, and take longest.
const longPaths = /\/test\/(portal|faults|bench)\/|\/(hostile-jobs|black-hole|sentinel|launch)\.test\.js$/;
const isLong = ({ path }: Tests[number]) => longPaths.test(path);

/** Starts the longest test files first, so that the other cores are not idle for long while the last file runs. */
export default class LongestFirst extends Sequencer {
  override async sort(tests: Tests): Promise<Tests> {
    const sorted = await super.sort(tests);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
}
