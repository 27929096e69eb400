'use strict';

// Sets variables that must be set before libuv starts its threads, which happens when the first ES module is loaded.
// DNS lookups use at most half of these threads, and the default is 4 threads. With this RES_OPTIONS, a lookup occupies
// a thread for up to 2 s for each name server that does not respond.
const defaults = { UV_THREADPOOL_SIZE: '512', RES_OPTIONS: 'timeout:1 attempts:2' };
for (const name in defaults) if (!process.env[name]) process.env[name] = defaults[name];
