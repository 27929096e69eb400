// The entry point of `npm run api`, `worker` and the other programs.
require('./threads.cjs');

import('./run.mjs');
