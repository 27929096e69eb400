// `npm test [-- <jest's arguments>]`: prepares the clone, runs the tests, and prints `N passed, N failed` as the last
// line. Without arguments it leaves out what is slow by nature (see jest.config.mjs), which `npm run test:all` runs
// too. Both check the types, and `npm run test:all` also what `npm run lint` does. Each check counts like a test.
import { spawn } from 'child_process';
import fs from 'fs';
import { join } from 'path';
import { prepare, root } from './prepare.mjs';
import { addChecks, reportMissing, summarise } from './summary.mjs';

const reportFile = join(root, 'node_modules/.cache', `jest-report-${process.pid}.json`);
const jest = ['jest/bin/jest.js', '--config', join(root, 'jest.config.mjs'), '--json', '--outputFile', reportFile];

const typesOf = (configs) => configs.map((config) => ['typescript/bin/tsc', '-p', join(root, config)]);

/** What is checked beside the tests: the programs of each check. They print what is wrong. */
const checks = { types: typesOf(['.', 'apps/portal']) };
const checksOfAll = {
  // The tests of the portal in a browser run only here too.
  types: typesOf(['.', 'apps/portal', 'test/portal']),
  format: [['prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.']],
  lint: [['eslint/bin/eslint.js', '.']],
  exports: [['knip/bin/knip.js', '--no-progress']],
};

async function test() {
  await prepare();
  fs.mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
  const args = process.argv.slice(2).filter((arg) => arg !== '--all');
  const isQuick = process.argv.length === 2;
  // The build only transpiles. Whoever selects tests wants their result at once.
  const ownChecks = args.length > 0 ? {} : isQuick ? checks : checksOfAll;
  // A process starts in half of the time from a bundle. One or few tests run the programs as they were compiled.
  if (args.length === 0) process.env.TEST_BUNDLES = 'true';
  if (isQuick) process.env.QUICK_TESTS = 'true';
  const [exitCode, checked] = await Promise.all([run(...jest, ...args), runChecks(ownChecks)]);
  const report = readReport();
  const counts = summarise(report, exitCode);
  addChecks(counts, checked);
  await reportMissing(report, counts, { isQuick });
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
  process.exitCode = counts.failed > 0 ? 1 : 0;
}

/** Runs the checks one after another. Resolves with the name of each, and whether all of its programs succeeded. */
async function runChecks(programsByName) {
  const results = [];
  for (const [name, programs] of Object.entries(programsByName)) {
    const codes = [];
    for (const program of programs) codes.push(await run(...program));
    results.push({ name, isPassed: codes.every((code) => code === 0) });
  }
  return results;
}

/** Runs a program of a package. What it prints goes to stderr, because stdout has only the result. */
function run(program, ...args) {
  const child = spawn(process.execPath, [join(root, 'node_modules', program), ...args], {
    cwd: root,
    // Jest's readable report is on stderr; with --json, its stdout is that of the file.
    stdio: ['inherit', program.startsWith('jest') ? 'ignore' : process.stderr, 'inherit'],
  });
  // The terminal also sends Ctrl-C to the program. This process only has to end after it.
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

test();
