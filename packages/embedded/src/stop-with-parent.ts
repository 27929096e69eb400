import { spawn } from 'node:child_process';

/** Signals in the order in which they are sent. After each signal, the process has `withinMs` to end. */
export type StopSequence = { signal: 'SIGTERM' | 'SIGINT' | 'SIGQUIT' | 'SIGKILL'; withinMs: number }[];

/** `cancel` ends the guard without stopping the process. */
export type Guard = { cancel(): void };

// `kill -0` also succeeds for a zombie, a process that has ended but whose parent has not read its exit code.
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
 * Starts a guard. When this process ends without having cancelled the guard, for example by kill -9, the guard stops
 * the process `pid` and then removes `folderToRemove`. The guard is a shell in its own process group. Its stdin is a
 * pipe from this process, which closes when this process ends. On Windows there is no guard.
 */
export function stopWithParent(pid: number, stopSequence: StopSequence, folderToRemove = ''): Guard {
  if (pid === 0 || process.platform === 'win32') return { cancel: () => undefined };
  const steps = stopSequence.flatMap(({ signal, withinMs }) => [signal.slice(3), String(Math.ceil(withinMs / 100))]);
  const shell = spawn('/bin/sh', ['-c', script, 'guard', String(pid), folderToRemove, ...steps], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  // The pipe is a socket, which would keep this process alive.
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref();
  return { cancel: () => void shell.kill('SIGKILL') };
}
