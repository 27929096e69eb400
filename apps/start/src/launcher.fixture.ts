import { fileURLToPath } from 'node:url';
import { launch } from './launch.js';
import { runSession } from './session.js';

// main.ts with stubs for the two programs and a folder of the test's.
const stub = fileURLToPath(new URL('./stub.fixture.js', import.meta.url));
const [, , folder = ''] = process.argv;
const options = { folder, programs: { api: stub, worker: stub }, env: process.env };
// A test that is killed leaves nothing behind.
const parent = process.ppid;
setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGTERM'), 250).unref();
process.exit(await runSession((session) => launch(options, session)));
