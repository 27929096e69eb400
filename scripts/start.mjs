// `npm start`: prepares the clone, then runs apps/cli/src/dev in this process.
import endWithNpm from './end-with-npm.cjs';
import { prepare } from './prepare.mjs';

endWithNpm();
prepare({ onlyPrograms: true })
  .then(() => import('../apps/cli/dist/dev/main.js'))
  .catch((error) => {
    process.stderr.write(`ringback: ${error.message}\n`);
    process.exit(1);
  });
