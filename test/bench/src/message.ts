import type { ChildProcess } from 'node:child_process';

/** Resolves with the next message of a type from a process. Rejects if the process ends first. */
export function nextMessage<T extends { type: string }>(child: ChildProcess, type: T['type']): Promise<T> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: T) => {
      if (message.type !== type) return;
      stopListening();
      resolve(message);
    };
    const onExit = (code: number | null) => {
      stopListening();
      reject(new Error(`a process of the benchmark ended with ${String(code)} before it sent "${type}"`));
    };
    const stopListening = () => child.off('message', onMessage).off('exit', onExit);
    child.on('message', onMessage).once('exit', onExit);
  });
}
