// Prepares a clone: checks Node's version, installs the packages of package-lock.json if they are missing, and builds.
// It has no dependencies and must run on old versions of Node, so that it can tell the user that Node is too old.
import { spawn } from 'child_process';
import fs from 'fs';
import { constants } from 'os';
import { dirname, join } from 'path';
import { fileURLToPath } from 'url';
import isNewEnough from './node-version.cjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

// What the programs and their build need. The rest, about two thirds of all packages, is for tests and checks.
const programs = ['apps/api', 'apps/cli', 'apps/portal', 'apps/worker', 'scripts'];

/**
 * Installs and builds the clone: everything, or with `onlyPrograms` what is needed to run the programs, in half of the
 * time. What has not changed comes from turbo's cache. On failure, prints the output of the program that failed, if one
 * did, and one line, and exits with code 1.
 */
export async function prepare({ onlyPrograms = false } = {}) {
  if (!isNewEnough(process.versions.node)) {
    fail(`Ringback needs Node 20.19 or newer; this is Node ${process.versions.node}`);
  }
  const release = await acquireLock();
  const workspaces = onlyPrograms ? programs : undefined;
  const installed = readJson('node_modules/.package-lock.json');
  if (!isInstalled(readJson('package-lock.json'), installed, workspaces)) {
    printNotice('Installing packages ...');
    // `npm ci` would first remove what a running Ringback uses. The build needs development packages, even with
    // NODE_ENV=production.
    const command = installed ? ['install', '--no-save'] : ['ci'];
    const options = [
      '--include=dev',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--no-progress',
      '--loglevel=error',
    ];
    const selected = (workspaces || []).map((workspace) => `--workspace=${workspace}`);
    await run(npmCommand(), command.concat(options, selected), `npm ${command[0]}`);
    printNotice('Building ...');
  }
  const turbo = [process.execPath, join(root, 'node_modules/turbo/bin/turbo')];
  const filter = onlyPrograms ? ['--filter=./apps/*...'] : [];
  await run(turbo, ['run', 'build', '--output-logs=new-only', '--ui=stream'].concat(filter), 'the build');
  release();
}

/**
 * Whether the packages of the lock file are installed, in the right versions: all, or those that the workspaces need.
 * Optional ones may be missing. Both lock files are as npm writes them.
 */
export function isInstalled(wanted, installed, workspaces) {
  if (!wanted || !installed) return false;
  // npm writes the hash of a package to one of the two files or to both, depending on its settings.
  const isSame = (a, b) => a.version === b.version && (a.integrity === b.integrity || !a.integrity || !b.integrity);
  const locations = workspaces ? locationsOf(wanted.packages, workspaces) : Object.keys(wanted.packages);
  return locations
    .filter((location) => location !== '')
    .every((location) => {
      const existing = installed.packages[location];
      return existing ? isSame(wanted.packages[location], existing) : Boolean(wanted.packages[location].optional);
    });
}

/** The places in node_modules of the packages that the workspaces need, and of what these need. */
function locationsOf(packages, workspaces) {
  const found = new Set(workspaces.filter((workspace) => packages[workspace]));
  for (const location of found) {
    const { dependencies, devDependencies, optionalDependencies, link, resolved } = packages[location] || {};
    if (link) found.add(resolved);
    const isWorkspace = location.indexOf('node_modules/') < 0;
    const names = Object.assign({}, dependencies, optionalDependencies, isWorkspace ? devDependencies : {});
    for (const name of Object.keys(names)) {
      let folder = location;
      while (folder && !packages[`${folder}/node_modules/${name}`]) {
        const end = folder.lastIndexOf('/node_modules/');
        folder = end < 0 ? '' : folder.slice(0, end);
      }
      const place = folder ? `${folder}/node_modules/${name}` : `node_modules/${name}`;
      if (packages[place]) found.add(place);
    }
  }
  return Array.from(found);
}

function readJson(path) {
  try {
    return JSON.parse(fs.readFileSync(join(root, path), 'utf8'));
  } catch (error) {
    return undefined;
  }
}

/** The command of npm, as a list of words: the npm that runs this process, if there is one. */
export function npmCommand() {
  if (/npm-cli\.c?js$/.test(process.env.npm_execpath || '')) return [process.execPath, process.env.npm_execpath];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}

/**
 * Runs a program as a step. Its output is printed only when it fails. A failure or a signal, which is passed on to the
 * program, ends this process.
 */
function run(command, args, name) {
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
    let stopped;
    const stop = (signal) => {
      stopped = signal;
      child.kill(signal);
    };
    signals.forEach((signal) => process.on(signal, stop));
    child.on('error', (error) => fail(`${name} cannot be run: ${error.message}`));
    child.on('close', (code) => {
      signals.forEach((signal) => process.removeListener(signal, stop));
      if (stopped) process.exit(128 + constants.signals[stopped]);
      if (code === 0) return resolve();
      process.stderr.write(Buffer.concat(output));
      fail(`${name} failed; its output is above`);
    });
  });
}

/**
 * Acquires the clone's lock, so that only one command at a time prepares it. The holder touches the lock file every
 * second. A lock file older than 5 s belongs to a killed process and is replaced.
 */
async function acquireLock() {
  const path = join(root, '.turbo/prepare.lock');
  fs.mkdirSync(dirname(path), { recursive: true });
  for (let hasWaited = false; !tryCreate(path); hasWaited = true) {
    if (isOlderThan(path, 5000)) fs.rmSync(path, { force: true });
    else if (!hasWaited) printNotice('Waiting for another command that installs or builds this clone ...');
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

/** Prints a line on stderr, because stdout is for the command's results. */
function printNotice(line) {
  process.stderr.write(`${line}\n`);
}

function fail(line) {
  printNotice(`ringback: ${line}`);
  process.exit(1);
}
