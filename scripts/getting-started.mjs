// `npm run test:getting-started`: makes the npm packages, and runs docs/guide/start.md with them.
import { spawnSync } from 'child_process';
import { join } from 'path';
import { npmCommand, root } from './prepare.mjs';

const [command, ...first] = npmCommand();
const options = { cwd: root, stdio: 'inherit' };
const packed = spawnSync(command, [...first, 'run', '--silent', 'package'], options);
if (packed.status !== 0) process.exit(1);
const env = { ...process.env, GUIDE_PACKAGES: join(root, 'dist/release') };
const args = [join(root, 'scripts/test.mjs'), 'scripts/getting-started.test.mjs'];
process.exitCode = spawnSync(process.execPath, args, { ...options, env }).status ?? 1;
