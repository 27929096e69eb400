// `npm test [-- <jest's arguments>]`: prepares the clone, runs all tests or those that the arguments select, and prints
// `N passed, N failed` as the last line.
import { spawn, spawnSync } from 'child_process';
import fs from 'fs';
import { delimiter, join } from 'path';
import { pathToFileURL } from 'url';
import endWithNpm from './end-with-npm.cjs';
import { prepare, root } from './prepare.mjs';
import { countSkipped, summarise } from './summary.mjs';

const reportFile = join(root, 'node_modules/.cache', `jest-report-${process.pid}.json`);
const options = ['--config', join(root, 'jest.config.mjs'), '--json', '--outputFile', reportFile];

async function test() {
  endWithNpm();
  await prepare();
  fs.mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
  const args = process.argv.slice(2);
  // The build only transpiles. Whoever selects tests wants their result at once.
  const hasTypeErrors = args.length === 0 && !checkTypes();
  const exitCode = await runJest(options.concat(args));
  const report = readReport();
  const counts = summarise(report, exitCode);
  if (hasTypeErrors) counts.failed += 1;
  await reportPostgres(counts);
  await reportChromium(report, counts);
  await reportHelm(report, counts);
  if (!hasRedis()) reportMissingRedis(counts);
  if (!hasPythonClient())
    reportMissing('python3 has no package bullmq: the test of the Python producer was SKIPPED.', counts);
  await reportLanguages(report, counts);
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
  process.exitCode = counts.failed > 0 ? 1 : 0;
}

/** Whether all types are right. The compiler prints what is not. */
function checkTypes() {
  const configs = ['.', 'apps/portal', 'test/portal'];
  const check = (config) =>
    spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, config)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    }).status === 0;
  return configs.map(check).every(Boolean);
}

/** Runs jest. Its readable report goes to stderr. With --json its stdout is not needed. */
function runJest(args) {
  const child = spawn(process.execPath, [join(root, 'node_modules/jest/bin/jest.js')].concat(args), {
    cwd: root,
    stdio: ['inherit', 'ignore', 'inherit'],
  });
  // The terminal also sends Ctrl-C to jest. This process only has to end after jest.
  process.on('SIGINT', () => undefined);
  ['SIGTERM', 'SIGHUP'].forEach((signal) => process.on(signal, () => child.kill(signal)));
  return new Promise((resolve) => child.on('close', (code) => resolve(code)));
}

function readReport() {
  try {
    return JSON.parse(fs.readFileSync(reportFile, 'utf8'));
  } catch (error) {
    return undefined;
  } finally {
    fs.rmSync(reportFile, { force: true });
  }
}

function hasRedis() {
  return (process.env.PATH || '').split(delimiter).some((folder) => fs.existsSync(join(folder, 'redis-server')));
}

/** Whether examples/python-producer can run. */
function hasPythonClient() {
  return spawnSync('python3', ['-c', 'import bullmq'], { stdio: 'ignore' }).status === 0;
}

const line = '*'.repeat(100);
const print = (text) => process.stdout.write(`${text}\n`);

function reportMissingRedis(counts) {
  reportMissing('redis-server is not in PATH: all tests with Redis were SKIPPED. Only PostgreSQL was tested.', counts);
}

/** The tests of the portal need a browser. */
async function reportChromium(report, counts) {
  const { findChromium } = await import(pathToFileURL(join(root, 'packages/testing/dist/chromium.js')).href);
  if (findChromium()) return;
  const skipped = countSkipped(report, join('test', 'portal'));
  reportMissing(`There is no chromium (see CHROMIUM): ${skipped} tests of the portal were SKIPPED.`, counts);
}

/** The chart's tests need helm. */
async function reportHelm(report, counts) {
  const { hasHelm } = await import('./helm.mjs');
  if (hasHelm()) return;
  const skipped = countSkipped(report, join('scripts', 'helm.test'));
  reportMissing(`helm is not in PATH: ${skipped} tests of the Helm chart were SKIPPED.`, counts);
}

/** The verifiers of examples/verify need the programs of seven languages. */
async function reportLanguages(report, counts) {
  const file = join(root, 'test/e2e/dist/verify-languages.js');
  const { languages, missingPrograms } = await import(pathToFileURL(file).href);
  const missing = languages.filter((language) => missingPrograms(language).length > 0);
  if (missing.length === 0) return;
  const named = missing.map((language) => `${language.name} (${missingPrograms(language).join(', ')})`).join('; ');
  const skipped = countSkipped(report, 'verify-examples');
  const text = `Programs of examples/verify are not installed: ${named}. ${skipped} tests were SKIPPED.`;
  reportMissing(text, missing.some(({ isInstalledByCi }) => isInstalledByCi) ? counts : undefined);
}

/** Prints which PostgreSQL was tested: unlike most servers, the embedded one has no JIT and sorts by code point. */
async function reportPostgres(counts) {
  const testing = await import(pathToFileURL(join(root, 'packages/testing/dist/installed-postgres.js')).href);
  if (testing.findInstalledPostgres()) print(`Tested on ${testing.describeTestPostgres()}.`);
  else
    reportMissing(
      'This machine has no PostgreSQL server: ONLY THE EMBEDDED ONE, which has no JIT, was tested.',
      counts,
    );
}

/** Prints what was not tested. With CI=true it counts as a failure, except without `counts`. */
function reportMissing(text, counts) {
  const isFailure = process.env.CI === 'true' && counts !== undefined;
  print(`${line}\n${text}`);
  if (isFailure) print('CI=true, so this counts as a failure.');
  print(line);
  if (isFailure && counts.failed === 0) counts.failed = 1;
}

test();
