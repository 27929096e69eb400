// Like prepare.mjs, this file must run on old versions of Node.

const checkIntervalMs = 250;

/**
 * Sends SIGTERM to this process when the npm that runs it has ended, because npm passes on only SIGINT and SIGTERM. The
 * scripts in package.json start with `exec`, so the parent process is npm and not a shell. In a process that npm does
 * not run, it does nothing.
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
