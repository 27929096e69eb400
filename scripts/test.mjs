// `npm test`: makes the clone ready, runs every test, and ends with the line `N passed, N failed`.
import { spawn, spawnSync } from 'child_process';
import fs from 'fs';
import { delimiter, join } from 'path';
import { pathToFileURL } from 'url';
import { endWithNpm } from './end-with-npm.mjs';
import { prepare, root } from './prepare.mjs';
import { summarise } from './summary.mjs';

const reportFile = join(root, 'node_modules/.cache', `jest-report-${process.pid}.json`);
const options = ['--config', join(root, 'jest.config.mjs'), '--json', '--outputFile', reportFile];

async function test() {
  endWithNpm();
  await prepare();
  fs.mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
  const exitCode = await runJest(options.concat(process.argv.slice(2)));
  const counts = summarise(readReport(), exitCode);
  await notePostgres(counts);
  if (!hasRedis()) noteRedis(counts);
  if (!hasPythonClient()) notePython();
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
  process.exitCode = counts.failed > 0 ? 1 : 0;
}

/** Jest's report for people goes to stderr; with --json, stdout gets nothing that we want. */
function runJest(args) {
  const nodeOptions = [process.env.NODE_OPTIONS, '--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const env = Object.assign({}, process.env, { NODE_OPTIONS: nodeOptions.filter(Boolean).join(' ') });
  const child = spawn(process.execPath, [join(root, 'node_modules/jest/bin/jest.js')].concat(args), {
    cwd: root,
    env,
    stdio: ['inherit', 'ignore', 'inherit'],
  });
  // The terminal sends Ctrl-C to jest too; we only have to outlive it.
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

/** Whether the producer of examples/python-producer can run. */
function hasPythonClient() {
  return spawnSync('python3', ['-c', 'import bullmq'], { stdio: 'ignore' }).status === 0;
}

const line = '*'.repeat(100);
const say = (text) => process.stdout.write(`${text}\n`);

function notePython() {
  say(`${line}\nThere is no python3 with the package bullmq: the test of the Python producer was SKIPPED.\n${line}`);
}

function noteRedis(counts) {
  noteMissing(
    'There is no redis-server in PATH: every test against Redis was SKIPPED. Only PostgreSQL was tested.',
    counts,
  );
}

/** Which PostgreSQL was tested: the embedded one has no JIT and sorts otherwise than most. */
async function notePostgres(counts) {
  const testing = await import(pathToFileURL(join(root, 'packages/testing/dist/machine-postgres.js')).href);
  if (testing.findMachinePostgres()) say(`Tested on ${testing.describeTestPostgres()}.`);
  else
    noteMissing('This machine has no PostgreSQL server: ONLY THE EMBEDDED ONE was tested, which has no JIT.', counts);
}

function noteMissing(text, counts) {
  say(`${line}\n${text}`);
  if (process.env.CI === 'true') say('CI is set, so that counts as a failure.');
  say(line);
  if (process.env.CI === 'true' && counts.failed === 0) counts.failed = 1;
}

test();
