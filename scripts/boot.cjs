// What the programs do before their first module is loaded. Old versions of Node must be able to load this file, so
// that it can say that they are too old.
'use strict';

/** Whether this version of Node can run Ringback. */
exports.isNewEnough = (version) => {
  const parts = version.split('.').map(Number);
  return parts[0] > 20 || (parts[0] === 20 && parts[1] >= 19);
};

/** Ends the process with one line if its Node is too old. */
exports.requireNode = () => {
  if (exports.isNewEnough(process.versions.node)) return;
  process.stderr.write(`ringback: Ringback needs Node 20.19 or newer; this is Node ${process.versions.node}\n`);
  process.exit(1);
};

/**
 * Prepares this process for a program. libuv starts its threads when the first ES module is loaded. DNS lookups use at
 * most half of them, and the default is 4. With this RES_OPTIONS, a lookup occupies a thread for up to 2 s for each
 * name server that does not respond, and asks for a name with a dot as it stands before it adds search domains. (In
 * Kubernetes, resolv.conf has `ndots:5`, which costs eight questions. A final dot would ask only one, but then glibc
 * ignores the hosts file.)
 *
 * Between two collections the old part of the heap may grow by 70 %. V8 would let it grow to several times its size,
 * which is most of a worker's memory in a burst. `NODE_OPTIONS` does not accept this flag.
 *
 * npm passes on SIGINT and SIGTERM only, and `npx` passes them to a shell, which may end without passing them on. So
 * the process also gets SIGTERM when its parent has ended: npm, or that shell.
 */
exports.boot = () => {
  exports.requireNode();
  const defaults = { UV_THREADPOOL_SIZE: '512', RES_OPTIONS: 'timeout:1 attempts:2 ndots:1' };
  for (const name in defaults) if (!process.env[name]) process.env[name] = defaults[name];
  require('v8').setFlagsFromString('--heap-growing-percent=70');
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  timer.unref();
};
