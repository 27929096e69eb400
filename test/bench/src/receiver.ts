import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Ready, Report, Request } from './receiver-process.js';

export type Receiver = {
  origin: string;
  pid: number | undefined;
  /** Which paths hang, and whether the first attempts or all fail. */
  behave(how: { hang?: string[]; fail?: 'none' | 'first' | 'all' }): void;
  reset(): void;
  /** What arrived since the last reset. */
  report(): Promise<{ ids: string[]; times: number[] }>;
  close(): void;
};

/** Starts the receiver as a process of its own, so that its work is in nobody's figure. */
export async function openReceiver(): Promise<Receiver> {
  const child = fork(fileURLToPath(new URL('receiver-process.js', import.meta.url)), { serialization: 'advanced' });
  const ready = await next<Ready>(child, 'ready');
  const tell = (request: Request) => void child.send(request);
  return {
    origin: `http://127.0.0.1:${ready.port}`,
    pid: child.pid,
    behave: ({ hang = [], fail = 'none' }) => tell({ type: 'behave', hang, fail }),
    reset: () => tell({ type: 'reset' }),
    async report() {
      const answer = next<Report>(child, 'report');
      tell({ type: 'report' });
      return answer;
    },
    close: () => void child.kill('SIGKILL'),
  };
}

async function next<T extends { type: string }>(child: ChildProcess, type: T['type']): Promise<T> {
  for (;;) {
    const [message] = (await once(child, 'message')) as [T];
    if (message.type === type) return message;
  }
}
