// What `npm run api`, `worker` and the like begin with: names are resolved in Node's pool of threads, of which there are four
// unless it is said before the first of them is used. Loading an ES module uses one. No more than half of them
// resolve names at a time, and a name whose servers are silent keeps its own for as long as the resolver is patient: a
// callback has no more than 3 s in all.
const names = { UV_THREADPOOL_SIZE: '512', RES_OPTIONS: 'timeout:1 attempts:2' };
for (const name in names) if (!process.env[name]) process.env[name] = names[name];

import('./run.mjs');
