import { fileURLToPath } from 'node:url';
import { launch } from './launch.js';
import { runSession } from './session.js';

// Like main.ts, with stubs of the two programs and a folder of the test.
const stub = fileURLToPath(new URL('./stub.fixture.js', import.meta.url));
const [, , folder = ''] = process.argv;
const options = { folder, programs: { api: stub, worker: stub }, env: process.env };
// Stops when the test is killed.
const parent = process.ppid;
setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGTERM'), 250).unref();
process.exit(await runSession((session) => launch(options, session)));
