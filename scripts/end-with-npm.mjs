// Like prepare.mjs, this file must run on old versions of Node.

const checkIntervalMs = 250;

/**
 * Sends SIGTERM to this process when the npm that runs it has ended, because npm passes on SIGINT and SIGTERM only. The
 * scripts in package.json start with `exec`, so that npm is the parent process, not a shell. Does nothing in a process
 * that npm does not run.
 */
export function endWithNpm() {
  if (!process.env.npm_lifecycle_event) return;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, checkIntervalMs);
  timer.unref();
}
