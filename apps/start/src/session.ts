import { setTimeout as sleep } from 'node:timers/promises';
import { formatError } from '@ringback/runtime';
import { ChildFailure } from './child.js';
import { listenForStop } from './stop-signals.js';

// `npm start` promises that Ctrl-C stops everything within 5 s.
const defaultStopTimeoutMs = 4_800;

export type RunControls = {
  /** Registers a clean-up. Clean-ups run in reverse order of registration when the session stops. */
  onStop(close: () => Promise<void> | void): void;
  /** Registers a function that kills a child process. A forced stop calls it. */
  onForcedStop(kill: () => void): void;
  /** Stops the session with an exit code and a line for the operator. Only the first call has an effect. */
  stop(exitCode: number, line?: string): void;
  /** Settles like `step`, a step of the start, but rejects as soon as the session stops. */
  raceStop<T>(step: Promise<T>): Promise<T>;
};

const printError = (line: string) => process.stderr.write(`${line}\n`);

/**
 * Calls `start`. Waits until a signal arrives, `start` fails or `stop` is called, then runs the clean-ups. Resolves
 * with the exit code. If stopping takes longer than `stopTimeoutMs`, or a second signal arrives more than 1 s after the
 * first, the stop is forced: the children are killed and the process exits with code 1.
 */
export async function runSession(
  start: (session: RunControls) => Promise<void>,
  { stopTimeoutMs = defaultStopTimeoutMs } = {},
): Promise<number> {
  const cleanups: (() => Promise<void> | void)[] = [];
  const kills: (() => void)[] = [];
  const { promise: stopped, resolve: stop } = defer<{ exitCode: number; line?: string | undefined }>();
  const forceStop = () => {
    for (const kill of kills) kill();
    process.exit(1);
  };
  const stopListening = listenForStop({ onStop: () => stop({ exitCode: 0 }), onForcedStop: forceStop });
  const starting = start({
    onStop: (close) => cleanups.push(close),
    onForcedStop: (kill) => kills.push(kill),
    stop: (exitCode, line) => stop({ exitCode, line }),
    raceStop: (step) => Promise.race([step, stopped.then(() => Promise.reject(new Error('stopped')))]),
  }).catch((error: unknown) => stop(toExit(error)));
  const { exitCode, line } = await stopped;
  if (line !== undefined) printError(line);
  const deadline = setTimeout(forceStop, stopTimeoutMs);
  // The current step may still register a clean-up.
  await Promise.race([starting, sleep(1_000)]);
  for (const close of cleanups.reverse()) await runCleanup(close);
  clearTimeout(deadline);
  stopListening();
  return exitCode;
}

/** The exit code for an error of the start, and its line, unless a child that failed has printed the reason itself. */
function toExit(error: unknown): { exitCode: number; line?: string } {
  if (error instanceof ChildFailure && error.exitCode) return { exitCode: error.exitCode };
  return { exitCode: 1, line: formatError(error) };
}

async function runCleanup(close: () => Promise<void> | void): Promise<void> {
  try {
    await close();
  } catch (error) {
    printError(formatError(error));
  }
}

function defer<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}
