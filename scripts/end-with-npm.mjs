// Like prepare.mjs, this holds nothing that an old Node cannot read.

const everyMs = 250;

/**
 * Ends this process with a SIGTERM as soon as the npm that runs it has ended: npm passes SIGINT and SIGTERM on, and no
 * more than that. The scripts in package.json begin with `exec`, so that npm is our parent and not a shell between us.
 * A process that npm does not run is left alone, and so is one whose npm outlives the terminal that it was started in.
 */
export function endWithNpm() {
  if (!process.env.npm_lifecycle_event) return;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, everyMs);
  timer.unref();
}
