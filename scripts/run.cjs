// `npm start`, `npm run api`, `worker`, `ringback`, `bench` and so on: prepares the clone, then runs the program whose
// file is the first argument in this process, which receives the signals and sets the exit code.
'use strict';
const { join } = require('path');
const { pathToFileURL } = require('url');

require('./boot.cjs').boot();

const file = process.argv[2];
const main = join(__dirname, '..', file);

import('./prepare.mjs')
  .then(({ prepare }) => prepare({ onlyPrograms: file.startsWith('apps/') }))
  .then(() => {
    process.argv.splice(1, 2, main);
    return import(pathToFileURL(main).href);
  })
  .catch((error) => {
    process.stderr.write(`ringback: ${error.message}\n`);
    process.exit(1);
  });
