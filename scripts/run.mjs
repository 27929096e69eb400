// `npm run api`, `worker`, `ringback`, `sandbox`, `bench`: makes the clone ready where it is not, then runs the app of that
// name, or what is in that folder, in this process, so that signals and the exit code are its own.
import { join } from 'path';
import { pathToFileURL } from 'url';
import { prepare, root } from './prepare.mjs';

const name = process.argv[2];
const folder = name.includes('/') ? name : `apps/${name}`;
const main = join(root, folder, 'dist/main.js');

prepare({ filter: name.includes('/') ? `./${name}` : './apps/*', unlessBuilt: true })
  .then(() => {
    process.argv.splice(1, 2, main);
    return import(pathToFileURL(main).href);
  })
  .catch((error) => {
    process.stderr.write(`ringback: ${error.message}\n`);
    process.exit(1);
  });
