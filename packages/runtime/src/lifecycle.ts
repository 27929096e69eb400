import { errorFields, type Logger } from './logger.js';
import { printable } from './printable.js';

/** Registers what has to be undone when the process stops. Runs in reverse order of registration. */
export type OnStop = (name: string, close: () => Promise<unknown> | unknown) => void;

/** Ends a process that runs but cannot go on: prints one line, undoes what was registered, exits 1. */
export type Fail = (error: unknown) => void;

type Closer = { name: string; close: () => Promise<unknown> | unknown };

/** Anything that keeps a process from starting although its settings are well formed: one line for the operator. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/**
 * Runs a process: starts it, then waits for SIGTERM, SIGINT or the end of the parent's IPC channel, undoes what was
 * registered and exits 0. A second signal a second later, or `stopWithinMs()` gone by, exits 1 at once. A failed start
 * prints one line on stderr and exits 1.
 */
export function runProcess(
  start: (onStop: OnStop, fail: Fail) => Promise<void>,
  { log, stopWithinMs }: { log?: () => Logger | undefined; stopWithinMs: () => number },
): void {
  const closers: Closer[] = [];
  let stoppingSince: number | undefined;
  const stop = async (exitCode: number) => {
    if (stoppingSince !== undefined) {
      if (Date.now() - stoppingSince > 1_000) process.exit(1);
      return;
    }
    stoppingSince = Date.now();
    setTimeout(() => process.exit(1), stopWithinMs()).unref();
    await closeAll(closers, log?.());
    process.exit(exitCode);
  };
  process.on('SIGTERM', () => void stop(0));
  process.on('SIGINT', () => void stop(0));
  if (process.channel) process.on('disconnect', () => void stop(0));
  const fail = (error: unknown) => {
    process.stderr.write(`${explain(error)}\n`);
    void stop(1);
  };
  start((name, close) => closers.push({ name, close }), fail).catch(fail);
}

async function closeAll(closers: Closer[], log: Logger | undefined): Promise<void> {
  for (const { name, close } of closers.reverse()) {
    try {
      await close();
    } catch (error) {
      log?.error('process.close_failed', { name, ...errorFields(error) });
    }
  }
}

/**
 * Calls what a process needs before it can work, and answers with what it says. Throws a StartError that names the
 * variable when it does not answer, and the error itself when that one stands alone.
 */
export async function reach<T>(
  variable: string,
  call: () => Promise<T>,
  standsAlone: (error: unknown) => boolean = () => false,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (standsAlone(error)) throw error;
    throw new StartError(`${variable}: cannot be reached (${errorFields(error).error})`);
  }
}

/** One line for the operator: what is wrong, without a stack trace for what is not a defect of ours. */
export function explain(error: unknown): string {
  const { error: message, code } = errorFields(error);
  if (code === 'EADDRINUSE') return `ringback: the port is taken (${printable(message)}); set PORT or HEALTH_PORT`;
  return `ringback: ${printable(message.split('\n').join(' '))}`;
}

/** Tells the process that started this one, if there is such a one, that it is up. */
export function announceReady(details: Record<string, string> = {}): void {
  process.send?.({ type: 'ready', ...details });
}
