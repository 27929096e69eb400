// `npm run test:image`: builds the image with docker or podman (or ENGINE) and tests it.
import { spawn, spawnSync } from 'child_process';
import { constants } from 'os';
import { join } from 'path';
import { root } from './prepare.mjs';

const image = 'ringback:test';
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

async function testImage() {
  const engines = process.env.ENGINE ? [process.env.ENGINE] : ['docker', 'podman'];
  const engine = engines.find((name) => spawnSync(name, ['info'], { stdio: 'ignore' }).status === 0);
  if (!engine) return fail(`${engines.join(' and ')} cannot be run: start Docker, or set ENGINE`);
  // OCI's own format has no HEALTHCHECK.
  const format = /podman$/.test(engine) ? ['--format=docker'] : [];
  const startedAt = Date.now();
  if ((await run(engine, ['build', ...format, '--tag', image, '.'])) !== 0) return fail('the image cannot be built');
  process.stdout.write(`Built ${image} in ${Math.round((Date.now() - startedAt) / 1000)} s.\n`);
  const test = [join(root, 'scripts/test.mjs'), 'test/e2e/dist/image.test.js'];
  process.exitCode = await run(process.execPath, test, { ENGINE: engine, TEST_IMAGE: image });
}

/** Runs a command to its end. Resolves with the exit code. A signal ends the command and then this process. */
function run(command, args, env = {}) {
  const child = spawn(command, args, { cwd: root, env: { ...process.env, ...env }, stdio: 'inherit' });
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
