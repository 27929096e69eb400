import { fileURLToPath } from 'node:url';
import { runProcess } from '@ringback/process';
import { launch } from './launch.js';

// Like main.ts, but with stubs of the two programs, with a folder that the test chooses, and with time to stop on a
// busy machine.
const stub = fileURLToPath(new URL('./stub.fixture.js', import.meta.url));
const [, , folder = ''] = process.argv;
const options = { folder, programs: { api: stub, worker: stub }, env: process.env };
// The launcher stops when the test process is killed.
const parent = process.ppid;
setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGTERM'), 250).unref();
runProcess((onStop, fail) => launch(options, onStop, fail), { stopWithinMs: () => 60_000 });
