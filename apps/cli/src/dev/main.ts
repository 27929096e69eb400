import { fileURLToPath } from 'node:url';
import { findDataFolder, findRoot, runProcess } from '@ringback/process';
import { launch, stopWithinMs } from './launch.js';

const mainFile = (app: string) => fileURLToPath(new URL(`apps/${app}/dist/main.js`, findRoot()));
const programs = { api: mainFile('api'), worker: mainFile('worker') };
const folder = fileURLToPath(findDataFolder()).replace(/[\\/]$/, '');

// A reader of the output may close the pipe before this process ends.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
// The terminal was closed.
process.on('SIGHUP', () => process.kill(process.pid, 'SIGTERM'));
runProcess((onStop, fail) => launch({ folder, programs, env: process.env }, onStop, fail), {
  stopWithinMs: () => stopWithinMs,
});
