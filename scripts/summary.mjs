// What `npm test` says at its end: the counts, and what this machine could not test.
import { spawnSync } from 'child_process';
import fs from 'fs';
import { delimiter, join } from 'path';
import { pathToFileURL } from 'url';
import { root } from './prepare.mjs';

/**
 * Counts passed and failed tests from jest's JSON report and exit code. A suite that could not run counts as one failed
 * test. A run counts as one failed test if it has no report or no tests, or if no test failed and the exit code is not
 * 0.
 */
export function summarise(report, exitCode) {
  if (!report) return { passed: 0, failed: 1 };
  const passed = report.numPassedTests;
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  const nothingRan = passed + failed === 0;
  return { passed, failed: failed === 0 && (exitCode !== 0 || nothingRan) ? 1 : failed };
}

/** Adds the checks beside the tests to the counts, and names those that failed. */
export function addChecks(counts, checks) {
  for (const { name, isPassed } of checks) {
    counts[isPassed ? 'passed' : 'failed'] += 1;
    if (!isPassed) process.stdout.write(`The check of ${name} failed; its output is above.\n`);
  }
}

/** Counts the skipped tests in the files whose paths contain a text. */
export function countSkipped(report, pathPart) {
  const suites = (report ? report.testResults : []).filter(({ name }) => name.includes(pathPart));
  return suites.flatMap((suite) => suite.assertionResults).filter(({ status }) => status === 'pending').length;
}

/** Prints what was not tested because this machine lacks it. With CI=true that counts as a failure. */
export async function reportMissing(report, counts, { isQuick }) {
  const missing = [await findPostgres(), findRedis(), ...(isQuick ? [] : await findSlow(report))].filter(Boolean);
  const line = '*'.repeat(100);
  for (const { text, isNeeded = true } of missing) {
    const isFailure = process.env.CI === 'true' && isNeeded;
    const why = isFailure ? ['CI=true, so this counts as a failure.'] : [];
    process.stdout.write(`${[line, text, ...why, line].join('\n')}\n`);
    if (isFailure && counts.failed === 0) counts.failed = 1;
  }
}

const importBuilt = (file) => import(pathToFileURL(join(root, file)).href);

/** Unlike most servers, the embedded PostgreSQL has no JIT and sorts by code point. */
async function findPostgres() {
  const testing = await importBuilt('packages/testing/dist/installed-postgres.js');
  if (!testing.findInstalledPostgres())
    return { text: 'This machine has no PostgreSQL server: ONLY THE EMBEDDED ONE, which has no JIT, was tested.' };
  process.stdout.write(`Tested on ${testing.describeTestPostgres()}.\n`);
}

function findRedis() {
  const folders = (process.env.PATH || '').split(delimiter);
  if (folders.some((folder) => fs.existsSync(join(folder, 'redis-server')))) return;
  return { text: 'redis-server is not in PATH: all tests with Redis were SKIPPED. Only PostgreSQL was tested.' };
}

/** What only the slow tests need: a browser, helm, the client of examples/python-producer, languages. */
async function findSlow(report) {
  const { findChromium } = await importBuilt('packages/testing/dist/chromium.js');
  const { hasHelm } = await import('./helm.mjs');
  const { languages, missingPrograms } = await importBuilt('test/e2e/dist/verify-languages.js');
  const skippedIn = (path) => `${countSkipped(report, path)} tests`;
  const absent = languages.filter((language) => missingPrograms(language).length > 0);
  const named = absent.map((language) => `${language.name} (${missingPrograms(language).join(', ')})`).join('; ');
  return [
    !findChromium() && {
      text: `There is no chromium (see CHROMIUM): ${skippedIn(join('test', 'portal'))} of the portal were SKIPPED.`,
    },
    !hasHelm() && {
      text: `helm is not in PATH: ${skippedIn(join('scripts', 'helm.test'))} of the Helm chart were SKIPPED.`,
    },
    spawnSync('python3', ['-c', 'import bullmq'], { stdio: 'ignore' }).status !== 0 && {
      text: 'python3 has no package bullmq: the test of the Python producer was SKIPPED.',
    },
    !fs.existsSync('/usr/sbin/squid') && {
      text: `squid is not installed: ${skippedIn(join('sender', 'squid'))} of a proxy were SKIPPED.`,
    },
    !fs.existsSync('/usr/sbin/nginx') && {
      text: `nginx is not installed: ${skippedIn(join('portal', 'dist', 'proxies'))} behind a proxy were SKIPPED.`,
    },
    absent.length > 0 && {
      text: `Programs of examples/verify are not installed: ${named}. ${skippedIn('verify-examples')} were SKIPPED.`,
      isNeeded: absent.some(({ isInstalledByCi }) => isInstalledByCi),
    },
  ];
}
