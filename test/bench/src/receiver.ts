import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nextMessage } from './message.js';
import type { Count, Ill, Ready, Report, Request } from './receiver-process.js';

export type Receiver = {
  origin: string;
  pid: number | undefined;
  /** Which paths are ill and how, whether the first attempts or all fail, and how long an answer takes. */
  behave(how: Ill & { fail?: 'none' | 'first' | 'all'; delayMs?: number }): void;
  reset(): void;
  /** What arrived since the last reset, as `path id`, and when. */
  report(): Promise<Report>;
  /** How much arrived since the last reset: cheap, so that asking disturbs nothing. */
  count(): Promise<Count>;
  close(): void;
};

/** Starts the receiver as a process of its own, so that its work is in nobody's figure. */
export async function openReceiver(): Promise<Receiver> {
  const child = fork(fileURLToPath(new URL('receiver-process.js', import.meta.url)), { serialization: 'advanced' });
  const ready = await nextMessage<Ready>(child, 'ready');
  const ask = <T extends Report | Count>(type: T['type']) => {
    const answer = nextMessage<T>(child, type);
    child.send({ type } satisfies Request);
    return answer;
  };
  const tell = (request: Request) => void child.send(request);
  return {
    origin: `http://127.0.0.1:${ready.port}`,
    pid: child.pid,
    behave: ({ fail = 'none', delayMs = 0, ...ill }) => tell({ type: 'behave', ill, fail, delayMs }),
    reset: () => tell({ type: 'reset' }),
    report: () => ask<Report>('report'),
    count: () => ask<Count>('count'),
    close: () => void child.kill('SIGKILL'),
  };
}
