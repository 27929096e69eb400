import { expect, test } from '@jest/globals';
import isNewEnough from './node-version.cjs';
import { isInstalled } from './prepare.mjs';
import { countSkipped, summarise } from './summary.mjs';

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

test('the skipped tests of a folder are counted', () => {
  const suite = (name, ...states) => ({ name, assertionResults: states.map((status) => ({ status })) });
  const testResults = [suite('/x/test/portal/a.js', 'pending', 'passed', 'pending'), suite('/x/b.js', 'pending')];
  expect(countSkipped({ testResults }, 'test/portal')).toBe(2);
  expect(countSkipped(undefined, 'test/portal')).toBe(0);
});

test.each([
  ['20.19.0', true],
  ['20.18.3', false],
  ['18.20.8', false],
  ['22.0.0', true],
  ['9.11.2', false],
])('Node %s is new enough: %p', (version, enough) => {
  expect(isNewEnough(version)).toBe(enough);
});

const lock = (packages) => ({ packages: { '': { name: 'ringback' }, ...packages } });
const a = { version: '1.0.0', integrity: 'x' };

test.each([
  ['the same', lock({ a }), lock({ a }), true],
  ['nothing installed', lock({ a }), undefined, false],
  ['another version', lock({ a }), lock({ a: { ...a, version: '1.0.1' } }), false],
  ['one more package wanted', lock({ a, b: a }), lock({ a }), false],
  ['one package too many installed', lock({ a }), lock({ a, b: a }), true],
  ['a package for another platform', lock({ a, b: { ...a, optional: true } }), lock({ a }), true],
])('whether the packages are installed: %s', (_name, wanted, installed, expected) => {
  expect(isInstalled(wanted, installed)).toBe(expected);
});

test('packages that only other workspaces need may be missing, and what the needed ones need may not', () => {
  const wanted = lock({
    'apps/api': { dependencies: { '@ringback/queue': '1.0.0' }, devDependencies: { jest: '1.0.0' } },
    'packages/queue': { dependencies: { bullmq: '1.0.0' } },
    'test/e2e': { dependencies: { yaml: '1.0.0' } },
    'node_modules/@ringback/queue': { link: true, resolved: 'packages/queue' },
    'node_modules/bullmq': { ...a, dependencies: { uuid: '1.0.0' }, devDependencies: { yaml: '1.0.0' } },
    'node_modules/bullmq/node_modules/uuid': a,
    'node_modules/jest': a,
    'node_modules/yaml': a,
  });
  const { 'test/e2e': _e2e, 'node_modules/yaml': _yaml, ...needed } = wanted.packages;
  expect(isInstalled(wanted, { packages: needed }, ['apps/api'])).toBe(true);
  expect(isInstalled(wanted, { packages: needed })).toBe(false);
  const { 'node_modules/bullmq/node_modules/uuid': _uuid, ...withoutUuid } = needed;
  expect(isInstalled(wanted, { packages: withoutUuid }, ['apps/api'])).toBe(false);
});
