// Makes a clone ready to run: checks Node, installs when what is installed is not what package-lock.json says, builds.
// No dependencies, and nothing that an old Node cannot read or import: it has to be able to say that it is too old.
import { spawn } from 'child_process';
import fs from 'fs';
import { constants } from 'os';
import { dirname, join } from 'path';
import { fileURLToPath } from 'url';
import { readTurbo, showElapsed } from './elapsed.mjs';
import { fingerprint, isBuilt, noteBuilt } from './freshness.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Installs and builds what is missing; with `filter`, only what those workspaces need (as turbo's --filter). With
 * `unlessBuilt`, which says whether what is wanted is there, the sources' names and times tell whether anything is
 * missing: quick, but one file that is gone from a `dist` is not noticed. Ends this process with one line when that cannot be done.
 */
export async function prepare({ filter, unlessBuilt } = {}) {
  if (!isNewEnough(process.versions.node)) {
    fail(`Ringback needs Node 20.19 or newer; this is Node ${process.versions.node}`);
  }
  const installed = () => isInstalled(readJson('package-lock.json'), readJson('node_modules/.package-lock.json'));
  const isReady = () => unlessBuilt !== undefined && unlessBuilt() && installed() && isBuilt(root);
  if (isReady()) return;
  const release = await takeTurn();
  // Another command may have made everything ready meanwhile.
  if (isReady()) return release();
  if (!installed()) {
    const step = showElapsed('Installing packages');
    // Building needs the development packages, also with NODE_ENV=production.
    const options = [
      '--include=dev',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--no-progress',
      '--loglevel=error',
    ];
    await run(npm(), ['ci'].concat(options), { name: 'npm ci', step });
  }
  const print = fingerprint(root);
  // Where everything is there already, turbo only makes sure of it.
  const step = !filter || !isBuilt(root) ? showElapsed('Building') : undefined;
  const turbo = [process.execPath, join(root, 'node_modules/turbo/bin/turbo')];
  const options = ['--output-logs=new-only', '--ui=stream'].concat(filter ? [`--filter=${filter}`] : []);
  const hear = step && readTurbo(step.tell);
  await run(turbo, ['run', 'build'].concat(options), { name: 'the build', step, hear });
  noteBuilt(root, print);
  release();
}

export function isNewEnough(version) {
  const parts = version.split('.').map(Number);
  return parts[0] > 20 || (parts[0] === 20 && parts[1] >= 19);
}

/** Whether every package of the lock file is installed in that version; those for other platforms need not be. */
export function isInstalled(wanted, installed) {
  if (!wanted || !installed) return false;
  // Where a package came from is in one of the files or in both, depending on npm's settings.
  const same = (a, b) => a.version === b.version && (a.integrity === b.integrity || !a.integrity || !b.integrity);
  const locations = Object.keys(wanted.packages).filter((location) => location !== '');
  return (
    Object.keys(installed.packages).every((location) => wanted.packages[location]) &&
    locations.every((location) => {
      const there = installed.packages[location];
      return there ? same(wanted.packages[location], there) : Boolean(wanted.packages[location].optional);
    })
  );
}

function readJson(path) {
  try {
    return JSON.parse(fs.readFileSync(join(root, path), 'utf8'));
  } catch (error) {
    return undefined;
  }
}

function npm() {
  if (/npm-cli\.c?js$/.test(process.env.npm_execpath || '')) return [process.execPath, process.env.npm_execpath];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}

/** Runs a program to its end as a step; its output is shown only when it fails. Passes signals on to it. */
function run(command, args, { name, step, hear }) {
  const env = Object.assign({}, process.env, {
    TURBO_TELEMETRY_DISABLED: '1',
    TURBO_NO_UPDATE_NOTIFIER: '1',
    DO_NOT_TRACK: '1',
  });
  return new Promise((resolve) => {
    const stdio = ['ignore', 'pipe', 'pipe'];
    const child = spawn(command[0], command.slice(1).concat(args), { cwd: root, env, stdio });
    const output = [];
    [child.stdout, child.stderr].forEach((stream) => stream.on('data', (chunk) => output.push(chunk)));
    if (hear) child.stdout.on('data', hear);
    let stopped;
    const stop = (signal) => {
      stopped = signal;
      child.kill(signal);
    };
    signals.forEach((signal) => process.on(signal, stop));
    child.on('error', (error) => fail(`${name} cannot be run: ${error.message}`));
    child.on('close', (code) => {
      signals.forEach((signal) => process.removeListener(signal, stop));
      if (step) step.end();
      if (stopped) process.exit(128 + constants.signals[stopped]);
      if (code === 0) return resolve();
      process.stderr.write(Buffer.concat(output));
      fail(`${name} failed; what it said is above`);
    });
  });
}

/**
 * Two commands in one clone prepare it one after the other. Whose turn it is touches a file every second, so that a
 * turn that was killed is soon known to be over.
 */
async function takeTurn() {
  const path = join(root, '.turbo/prepare.turn');
  fs.mkdirSync(dirname(path), { recursive: true });
  for (let waited = false; !tryCreate(path); waited = true) {
    if (isOlderThan(path, 5000)) fs.rmSync(path, { force: true });
    else if (!waited) say('Waiting for another command that installs or builds here ...');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const touch = setInterval(() => fs.utimesSync(path, new Date(), new Date()), 1000);
  const release = () => fs.rmSync(path, { force: true });
  process.on('exit', release);
  return () => {
    clearInterval(touch);
    process.removeListener('exit', release);
    release();
  };
}

function tryCreate(path) {
  try {
    fs.writeFileSync(path, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') fail(`cannot write ${path}: ${error.message}`);
    return false;
  }
}

function isOlderThan(path, ms) {
  try {
    return Date.now() - fs.statSync(path).mtimeMs > ms;
  } catch (error) {
    return false;
  }
}

/** Progress goes to stderr: what a command prints on stdout is its result. */
function say(line) {
  process.stderr.write(`${line}\n`);
}

function fail(line) {
  say(`ringback: ${line}`);
  process.exit(1);
}
