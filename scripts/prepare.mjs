// Prepares a clone: checks Node's version, installs the packages of package-lock.json if they are missing, and builds.
// It has no dependencies and must run on old versions of Node, so that it can tell the user that Node is too old.
import { spawn } from 'child_process';
import fs from 'fs';
import { constants } from 'os';
import { dirname, join } from 'path';
import { fileURLToPath } from 'url';
import boot from './boot.cjs';

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
  boot.requireNode();
  const workspaces = onlyPrograms ? programs : [];
  if (!isInstalled({ onlyPrograms })) {
    printNotice('Installing packages ...');
    // `npm ci` would first remove what a running Ringback uses. The build needs development packages, even with
    // NODE_ENV=production.
    const command = fs.existsSync(installedFile) ? ['install', '--no-save'] : ['ci'];
    const options = [
      '--include=dev',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--no-progress',
      '--loglevel=error',
    ];
    const selected = workspaces.map((workspace) => `--workspace=${workspace}`);
    await run(npmCommand(), command.concat(options, selected), `npm ${command[0]}`);
    fs.utimesSync(installedFile, new Date(), new Date());
    printNotice('Building ...');
  }
  const turbo = [process.execPath, join(root, 'node_modules/turbo/bin/turbo')];
  const filter = onlyPrograms ? ['--filter=./apps/*...'] : [];
  await run(turbo, ['run', 'build', '--output-logs=new-only', '--ui=stream'].concat(filter), 'the build');
}

// npm writes this file at the end of an installation.
const installedFile = join(root, 'node_modules/.package-lock.json');

/** Whether the packages of package-lock.json are installed: all, or at least those of the programs. */
function isInstalled({ onlyPrograms }) {
  if (!fs.existsSync(installedFile)) return false;
  const [installed, wanted] = [installedFile, join(root, 'package-lock.json')].map((file) => fs.statSync(file).mtimeMs);
  return installed >= wanted && (onlyPrograms || fs.existsSync(join(root, 'node_modules/jest')));
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

/** Prints a line on stderr, because stdout is for the command's results. */
function printNotice(line) {
  process.stderr.write(`${line}\n`);
}

function fail(line) {
  printNotice(`ringback: ${line}`);
  process.exit(1);
}
