// `npm run api`, `worker`, `ringback`, `sandbox`, `bench`: prepares the clone, then runs the app with the given name or
// the program in the given folder. The program runs in this process, so that it receives the signals and sets the exit
// code.
import { join } from 'path';
import { pathToFileURL } from 'url';
import endWithNpm from './end-with-npm.cjs';
import { prepare, root } from './prepare.mjs';

const name = process.argv[2];
const folder = name.includes('/') ? name : `apps/${name}`;
const main = join(root, folder, 'dist/main.js');

endWithNpm();
prepare({ onlyPrograms: !name.includes('/') })
  .then(() => {
    process.argv.splice(1, 2, main);
    return import(pathToFileURL(main).href);
  })
  .catch((error) => {
    process.stderr.write(`ringback: ${error.message}\n`);
    process.exit(1);
  });
