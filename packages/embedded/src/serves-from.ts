import { spawnSync } from 'node:child_process';
import { existsSync, readlinkSync, realpathSync } from 'node:fs';

/** Whether the process is a server of this data folder, and not another process with the same id. */
export function servesFrom(pid: number, dataFolder: string): boolean {
  if (!canSignal(pid)) return false;
  return existsSync('/proc/self/cwd') ? worksIn(pid, dataFolder) : hasArgument(pid, dataFolder);
}

/** Whether the process exists and this user may stop it. */
function canSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The check on Linux, which has `/proc`. A server's working directory is its data folder. */
export function worksIn(pid: number, dataFolder: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataFolder);
  } catch {
    return false;
  }
}

/** The check on other systems. A server is started with its data folder as an argument. */
export function hasArgument(pid: number, dataFolder: string): boolean {
  const { status, stdout } = spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  return status === 0 && `${stdout.trim()} `.includes(` ${dataFolder} `);
}
