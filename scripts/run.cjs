// What `npm run api`, `worker` and the like begin with: names are resolved in Node's pool of threads, of which there are four
// unless it is said before the first of them is used. Loading an ES module uses one.
if (!process.env.UV_THREADPOOL_SIZE) process.env.UV_THREADPOOL_SIZE = '64';

import('./run.mjs');
