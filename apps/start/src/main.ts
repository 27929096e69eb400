import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch } from './launch.js';
import { runSession } from './session.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const programs = { api: join(root, 'apps/api/dist/main.js'), worker: join(root, 'apps/worker/dist/main.js') };

// A reader of the output may close the pipe before this process ends.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
process.exit(
  await runSession((session) => launch({ folder: join(root, '.data'), programs, env: process.env }, session)),
);
