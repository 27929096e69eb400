// `npm run test:faults`: prepares the clone and runs the fault tests in test/faults.
import { spawn } from 'child_process';
import { join } from 'path';
import endWithNpm from './end-with-npm.cjs';
import { prepare, root } from './prepare.mjs';

async function faults() {
  endWithNpm();
  await prepare();
  const main = join(root, 'test/faults/dist/main.js');
  const child = spawn(process.execPath, [main].concat(process.argv.slice(2)), { cwd: root, stdio: 'inherit' });
  // The terminal also sends Ctrl-C to the child. This process only has to end after the child.
  process.on('SIGINT', () => undefined);
  ['SIGTERM', 'SIGHUP'].forEach((signal) => process.on(signal, () => child.kill(signal)));
  child.on('close', (code) => {
    process.exitCode = code === null ? 1 : code;
  });
}

faults();
