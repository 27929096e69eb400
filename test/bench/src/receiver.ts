import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nextMessage } from './programs.js';
import type { Count, FaultPaths, Listening, Ready, Report, Request } from './receiver-process.js';

export type Receiver = {
  origin: string;
  /** The origin of each port. */
  origins: string[];
  pid: number | undefined;
  /** Sets the faults of paths, whether first attempts or all calls fail, and the delay of a response. */
  behave(behaviour: FaultPaths & { fail?: 'none' | 'first' | 'all'; delayMs?: number }): void;
  reset(): void;
  /** The arrivals since the last reset. */
  report(): Promise<Report>;
  /** The numbers of arrivals, calls and connections since the last reset. Cheap enough to be polled. */
  count(): Promise<Count>;
  close(): void;
};

/** Starts the receiver in its own process, so that its CPU time is in no other figure. */
export async function startReceiver(listening: Listening = {}): Promise<Receiver> {
  const file = fileURLToPath(new URL('receiver-process.js', import.meta.url));
  const child = fork(file, [JSON.stringify(listening)], { serialization: 'advanced' });
  const ready = await nextMessage<Ready>(child, 'ready');
  const ask = <T extends Report | Count>(type: T['type']) => {
    const response = nextMessage<T>(child, type);
    child.send({ type } satisfies Request);
    return response;
  };
  const send = (request: Request) => void child.send(request);
  const scheme = listening.certificate ? 'https' : 'http';
  const origins = ready.ports.map((port) => `${scheme}://127.0.0.1:${port}`);
  return {
    origin: origins[0] ?? '',
    origins,
    pid: child.pid,
    behave: ({ fail = 'none', delayMs = 0, ...faultPaths }) => send({ type: 'behave', faultPaths, fail, delayMs }),
    reset: () => send({ type: 'reset' }),
    report: () => ask<Report>('report'),
    count: () => ask<Count>('count'),
    close: () => void child.kill('SIGKILL'),
  };
}
