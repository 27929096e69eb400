// Like prepare.mjs, this file must run on old versions of Node.

const checkIntervalMs = 250;

/**
 * Sends SIGTERM to this process when the npm that runs it has ended, because npm passes on only SIGINT and SIGTERM. The
 * scripts of package.json that call this function start with `exec`, so the parent process is npm and not a shell. In a
 * process that npm does not run, the function does nothing.
 */
export function endWithNpm() {
  if (!process.env.npm_lifecycle_event) return;
  const npmPid = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npmPid) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, checkIntervalMs);
  timer.unref();
}
