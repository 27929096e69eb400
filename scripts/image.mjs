// `npm run test:image`: builds the image with docker or podman (or ENGINE) and tests it. If the tests pass, records the
// result in docs/operate/deploy.md.
import { spawn, spawnSync } from 'child_process';
import fs from 'fs';
import { constants } from 'os';
import { join } from 'path';
import endWithNpm from './end-with-npm.cjs';
import { recordFile, withRecord } from './image-record.mjs';
import { root } from './prepare.mjs';
import { captureStdout } from './release-files.mjs';

const image = 'ringback:test';
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

async function testImage() {
  endWithNpm();
  const engines = process.env.ENGINE ? [process.env.ENGINE] : ['docker', 'podman'];
  const engine = engines.find((name) => spawnSync(name, ['info'], { stdio: 'ignore' }).status === 0);
  if (!engine) return fail(`${engines.join(' and ')} cannot be run: start Docker, or set ENGINE`);
  // OCI's own format has no HEALTHCHECK.
  const format = /podman$/.test(engine) ? ['--format=docker'] : [];
  const commit = findCommit();
  const startedAt = Date.now();
  if ((await run(engine, ['build', ...format, '--tag', image, '.'])) !== 0) return fail('the image cannot be built');
  process.stdout.write(`Built ${image} in ${Math.round((Date.now() - startedAt) / 1000)} s.\n`);
  const env = { ...process.env, ENGINE: engine, TEST_IMAGE: image };
  let printed = '';
  const test = [join(root, 'scripts/test.mjs'), 'test/e2e/dist/image.test.js'];
  process.exitCode = await run(process.execPath, test, { env, onOutput: (text) => (printed += text) });
  if (process.exitCode === 0) record(commit, printed.trim().split('\n').at(-1));
}

/** The commit that is checked out. Undefined if files differ from it, or without git. */
function findCommit() {
  try {
    const git = (...args) => captureStdout('git', args, root).toString().trim();
    return git('status', '--porcelain') === '' ? git('rev-parse', '--short=10', 'HEAD') : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the result into the documentation. */
function record(commit, counts) {
  if (!commit)
    return process.stderr.write('ringback: the result is not recorded, because files differ from the commit\n');
  const file = join(root, recordFile);
  const date = new Date().toISOString().slice(0, 10);
  fs.writeFileSync(file, withRecord(fs.readFileSync(file, 'utf8'), { date, commit, counts }));
  process.stderr.write(`ringback: commit ${recordFile}, which has the result\n`);
}

/**
 * Runs a command to its end. What the command prints is printed here, and its stdout is passed to `onOutput`, if given.
 * Resolves with the exit code. A signal ends the command and then this process.
 */
function run(command, args, { env = process.env, onOutput } = {}) {
  const child = spawn(command, args, { cwd: root, env, stdio: ['inherit', onOutput ? 'pipe' : 'inherit', 'inherit'] });
  child.stdout?.setEncoding('utf8').on('data', onOutput).pipe(process.stdout);
  let stopped;
  const stop = (signal) => {
    stopped = signal;
    child.kill(signal);
  };
  signals.forEach((signal) => process.on(signal, stop));
  return new Promise((resolve) =>
    child.on('close', (code) => {
      signals.forEach((signal) => process.removeListener(signal, stop));
      // A stopped podman exits with 0.
      if (stopped) process.exit(128 + constants.signals[stopped]);
      resolve(code === null ? 1 : code);
    }),
  );
}

function fail(line) {
  process.stderr.write(`ringback: ${line}\n`);
  process.exitCode = 1;
}

testImage();
