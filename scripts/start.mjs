// `npm start`: makes the clone ready, then runs apps/start in this process.
import { prepare } from './prepare.mjs';

prepare({ filter: './apps/*' })
  .then(() => import('../apps/start/dist/main.js'))
  .catch((error) => {
    process.stderr.write(`ringback: ${error.message}\n`);
    process.exit(1);
  });
