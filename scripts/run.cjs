// The entry point of `npm run api`, `worker` and the other programs. It sets the variables that must be set before libuv
// starts its threads, which loading an ES module does. DNS lookups use these threads, at most half of them at a time, and
// by default there are 4. A lookup that times out occupies one thread for up to 2 s.
const defaults = { UV_THREADPOOL_SIZE: '512', RES_OPTIONS: 'timeout:1 attempts:2' };
for (const name in defaults) if (!process.env[name]) process.env[name] = defaults[name];

import('./run.mjs');
