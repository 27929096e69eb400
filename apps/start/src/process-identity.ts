import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * Identifies a running process by its start time, which differs for two processes with the same id. Undefined when no
 * process has this id, or only a zombie.
 */
export function identifyProcess(pid: number): string | undefined {
  return existsSync('/proc/self/stat') ? readFromProc(pid) : readFromPs(pid);
}

/** The identity on Linux, which has `/proc`. */
export function readFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // proc_pid_stat(5) numbers the fields from 1. Field 2, the name, may contain spaces and brackets.
    const fieldsFrom3 = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const state = fieldsFrom3[3 - 3];
    const startTime = fieldsFrom3[22 - 3];
    return state === 'Z' || state === 'X' ? undefined : `${readBootId()} ${startTime}`;
  } catch {
    return undefined;
  }
}

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** The identity on other systems. */
export function readFromPs(pid: number): string | undefined {
  const { status, stdout } = spawnSync('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  const [, state = '', startTime] = /^\s*(\S+)\s+(.*\S)/.exec(stdout) ?? [];
  return status !== 0 || state.startsWith('Z') ? undefined : startTime;
}
