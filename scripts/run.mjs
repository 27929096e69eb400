// `npm run api`, `worker`, `ringback`, `sandbox`, `bench`: makes the clone ready where it is not, then runs the app of that
// name, or what is in that folder, in this process, so that signals and the exit code are its own.
import fs from 'fs';
import { join } from 'path';
import { pathToFileURL } from 'url';
import { endWithNpm } from './end-with-npm.mjs';
import { prepare, root } from './prepare.mjs';

const name = process.argv[2];
const folder = name.includes('/') ? name : `apps/${name}`;
const main = join(root, folder, 'dist/main.js');

endWithNpm();
// What is built need not be all: `npm start` builds the apps only, and this may be something else.
prepare({ filter: name.includes('/') ? undefined : './apps/*', unlessBuilt: () => fs.existsSync(main) })
  .then(() => {
    process.argv.splice(1, 2, main);
    return import(pathToFileURL(main).href);
  })
  .catch((error) => {
    process.stderr.write(`ringback: ${error.message}\n`);
    process.exit(1);
  });
