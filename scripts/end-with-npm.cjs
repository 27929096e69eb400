// Like prepare.mjs, this file must run on old versions of Node.
'use strict';

const checkIntervalMs = 250;

/**
 * Sends SIGTERM to this process when its parent has ended, because a signal to npm does not always arrive here: npm
 * passes on only SIGINT and SIGTERM, and `npx` passes them to a shell, which ends without passing them on. The parent
 * is that shell, or npm itself for a script of package.json that starts with `exec`. In a process that npm does not
 * run, the function does nothing.
 */
module.exports = function endWithNpm() {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, checkIntervalMs);
  timer.unref();
};
