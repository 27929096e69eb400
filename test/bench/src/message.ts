import type { ChildProcess } from 'node:child_process';

/** The next message of a type from a process; rejects when the process ends before. */
export function nextMessage<T extends { type: string }>(child: ChildProcess, type: T['type']): Promise<T> {
  return new Promise((resolve, reject) => {
    const hear = (message: T) => {
      if (message.type !== type) return;
      forget();
      resolve(message);
    };
    const ended = (code: number | null) => {
      forget();
      reject(new Error(`a process of the benchmark ended with ${String(code)} before it said "${type}"`));
    };
    const forget = () => child.off('message', hear).off('exit', ended);
    child.on('message', hear).once('exit', ended);
  });
}
