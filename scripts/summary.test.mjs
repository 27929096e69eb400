import { expect, test } from '@jest/globals';
import { addChecks, countSkipped, summarise } from './summary.mjs';

const report = (numPassedTests, numFailedTests, numRuntimeErrorTestSuites) => ({
  numPassedTests,
  numFailedTests,
  numRuntimeErrorTestSuites,
});

test.each([
  ['all passed', report(5, 0, 0), 0, { passed: 5, failed: 0 }],
  ['some failed', report(5, 2, 0), 1, { passed: 5, failed: 2 }],
  ['a suite could not start', report(5, 0, 1), 1, { passed: 5, failed: 1 }],
  ['both', report(5, 2, 1), 1, { passed: 5, failed: 3 }],
  ['no test was run', report(0, 0, 0), 0, { passed: 0, failed: 1 }],
  ['all passed, and jest failed for another reason', report(5, 0, 0), 1, { passed: 5, failed: 1 }],
  ['jest was killed', report(5, 0, 0), null, { passed: 5, failed: 1 }],
  ['jest left no report', undefined, 1, { passed: 0, failed: 1 }],
])('summary when %s', (_name, jestReport, exitCode, counts) => {
  expect(summarise(jestReport, exitCode)).toEqual(counts);
});

test('each check beside the tests counts like a test', () => {
  const counts = { passed: 5, failed: 0 };
  addChecks(counts, [
    { name: 'types', isPassed: true },
    { name: 'lint', isPassed: false },
  ]);
  expect(counts).toEqual({ passed: 6, failed: 1 });
});

test('the skipped tests of a folder are counted', () => {
  const suite = (name, ...states) => ({ name, assertionResults: states.map((status) => ({ status })) });
  const testResults = [suite('/x/test/portal/a.js', 'pending', 'passed', 'pending'), suite('/x/b.js', 'pending')];
  expect(countSkipped({ testResults }, 'test/portal')).toBe(2);
  expect(countSkipped(undefined, 'test/portal')).toBe(0);
});
