import { spawn } from 'node:child_process';

/** Signals in the order in which they are tried, each with the time given to it. */
export type Ending = { signal: 'SIGTERM' | 'SIGINT' | 'SIGQUIT' | 'SIGKILL'; withinMs: number }[];

export type Guard = { release(): void };

// A process whose parent does not ask for its exit code stays as a zombie, which kill -0 takes for alive.
const script = `alive() {
  kill -0 "$pid" 2>/dev/null || return 1
  case $(cat "/proc/$pid/stat" 2>/dev/null) in *') Z '*) return 1 ;; esac
}
read -r _
pid=$1; folder=$2; shift 2
while [ $# -ge 2 ] && alive; do
  kill -s "$1" "$pid" 2>/dev/null
  left=$2; shift 2
  while [ "$left" -gt 0 ] && alive; do sleep 0.1; left=$((left - 1)); done
done
[ -z "$folder" ] || rm -rf "$folder"`;

/**
 * Sees to it that a process ends when this one has ended without ending it, be it by kill -9, and removes a folder
 * after it. The guard is a shell in a process group of its own that waits for its stdin, held by us, to close.
 */
export function guardProcess(pid: number, ending: Ending, removeFolder = ''): Guard {
  if (pid === 0 || process.platform === 'win32') return { release: () => undefined };
  const steps = ending.flatMap(({ signal, withinMs }) => [signal.slice(3), String(Math.ceil(withinMs / 100))]);
  const shell = spawn('/bin/sh', ['-c', script, 'guard', String(pid), removeFolder, ...steps], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  // A pipe is a socket here, which keeps this process alive unless told not to.
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref();
  return { release: () => void shell.kill('SIGKILL') };
}
