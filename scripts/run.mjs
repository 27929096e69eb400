// `npm run api`, `worker`, `ringback`, `sandbox`: makes the clone ready where it is not, then runs the app of that name
// in this process, so that signals and the exit code are its own.
import { join } from 'path';
import { pathToFileURL } from 'url';
import { prepare, root } from './prepare.mjs';

const main = join(root, 'apps', process.argv[2], 'dist/main.js');

prepare({ filter: './apps/*', unlessBuilt: true })
  .then(() => {
    process.argv.splice(1, 2, main);
    return import(pathToFileURL(main).href);
  })
  .catch((error) => {
    process.stderr.write(`ringback: ${error.message}\n`);
    process.exit(1);
  });
