import { setTimeout as sleep } from 'node:timers/promises';
import { explain } from '@ringback/runtime';
import { ChildFailure } from './child.js';
import { listenForStop } from './stop-signals.js';

export type Session = {
  /** Registers what has to be undone at the end. Runs in reverse order of registration. */
  onStop(close: () => Promise<void> | void): void;
  /** Registers what ends a process of ours at once, when there is no time left. */
  onForce(kill: () => void): void;
  /** Begins the end, with an exit code and a line for the operator; the first call counts. */
  end(exitCode: number, line?: string): void;
  /** The value of a step of the start; throws as soon as the end has begun. */
  unlessEnding<T>(step: Promise<T>): Promise<T>;
};

const say = (line: string) => process.stderr.write(`${line}\n`);

/**
 * Runs from `start` to the first reason to stop: a signal, a failed start, or a call of `end`. Then undoes what was
 * registered, within 5 s. Resolves with the exit code.
 */
export async function runSession(start: (session: Session) => Promise<void>): Promise<number> {
  const closers: (() => Promise<void> | void)[] = [];
  const kills: (() => void)[] = [];
  const { promise: ended, resolve: end } = defer<{ exitCode: number; line?: string | undefined }>();
  const force = () => {
    for (const kill of kills) kill();
    process.exit(1);
  };
  const stopListening = listenForStop({ onStop: () => end({ exitCode: 0 }), onForce: force });
  const starting = start({
    onStop: (close) => closers.push(close),
    onForce: (kill) => kills.push(kill),
    end: (exitCode, line) => end({ exitCode, line }),
    unlessEnding: (step) => Promise.race([step, ended.then(() => Promise.reject(new Error('stopped')))]),
  }).catch((error: unknown) => end(readFailure(error)));
  const { exitCode, line } = await ended;
  if (line !== undefined) say(line);
  const deadline = setTimeout(force, 4_800);
  // The step in hand may make one more thing that has to be undone.
  await Promise.race([starting, sleep(1_000)]);
  for (const close of closers.reverse()) await attempt(close);
  clearTimeout(deadline);
  stopListening();
  return exitCode;
}

/** A process that failed with a code has said why; everything else is said here. */
function readFailure(error: unknown): { exitCode: number; line?: string } {
  if (error instanceof ChildFailure && error.exitCode) return { exitCode: error.exitCode };
  return { exitCode: 1, line: explain(error) };
}

async function attempt(close: () => Promise<void> | void): Promise<void> {
  try {
    await close();
  } catch (error) {
    say(explain(error));
  }
}

function defer<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}
