import { fileURLToPath } from 'node:url';
import { findDataFolder, findRoot } from '@ringback/runtime';
import { launch } from './launch.js';
import { runSession } from './session.js';

const mainFile = (app: string) => fileURLToPath(new URL(`apps/${app}/dist/main.js`, findRoot()));
const programs = { api: mainFile('api'), worker: mainFile('worker') };
const folder = fileURLToPath(findDataFolder()).replace(/[\\/]$/, '');

// A reader of the output may close the pipe before this process ends.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
process.exit(await runSession((session) => launch({ folder, programs, env: process.env }, session)));
