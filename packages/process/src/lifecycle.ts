import { errorFields, type Logger } from './logger.js';
import { printable } from './text.js';

/** Registers a clean-up for when the process stops. Clean-ups run in reverse order of registration. */
export type OnStop = (name: string, close: () => Promise<unknown> | unknown) => void;

/**
 * Stops a running process because of an error: prints one line, runs the clean-ups, exits with code 1. Without an error
 * nothing is printed, because the line was printed already.
 */
export type Fail = (error?: unknown) => void;

type Cleanup = { name: string; close: () => Promise<unknown> | unknown };

/** An error that the operator can fix, such as a server that cannot be reached. Its message is one line. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/**
 * Runs a process until SIGTERM, SIGINT, or the end of its parent's IPC channel, then runs the registered clean-ups and
 * exits with 0. It exits with 1 if they take longer than `stopWithinMs()`, at a second reason to stop more than a
 * second later, and, after one line on stderr, if `start` fails.
 */
export function runProcess(
  start: (onStop: OnStop, fail: Fail) => Promise<void>,
  { log, stopWithinMs }: { log?: () => Logger | undefined; stopWithinMs: () => number },
): void {
  const cleanups: Cleanup[] = [];
  const cleanUpAndExit = async (exitCode: number) => {
    setTimeout(() => process.exit(1), stopWithinMs()).unref();
    await runCleanups(cleanups, log?.());
    process.exit(exitCode);
  };
  const stop = createStopHandler<number>(
    (exitCode) => void cleanUpAndExit(exitCode),
    () => process.exit(1),
  );
  process.on('SIGTERM', () => stop(0));
  process.on('SIGINT', () => stop(0));
  if (process.channel) process.on('disconnect', () => stop(0));
  const fail: Fail = (error) => {
    if (error !== undefined) process.stderr.write(`${formatError(error)}\n`);
    stop(1);
  };
  start((name, close) => cleanups.push({ name, close }), fail).catch(fail);
}

async function runCleanups(cleanups: Cleanup[], log: Logger | undefined): Promise<void> {
  for (const { name, close } of cleanups.reverse()) {
    try {
      await close();
    } catch (error) {
      log?.error('process.close_failed', { name, ...errorFields(error) });
    }
  }
}

const passwordHint = 'it requires a password: write postgresql://user:password@host:port/database, or set PGPASSWORD';

/**
 * Connects to a server that a process needs, and resolves with the result of `connect`. If that fails, throws an
 * OperatorError that names the variable with the server's address. Errors for which `isExpected` is true are thrown
 * unchanged, because their message is more precise.
 */
export async function requireReachable<T>(
  variable: string,
  connect: () => Promise<T>,
  isExpected: (error: unknown) => boolean = () => false,
): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    if (isExpected(error)) throw error;
    const { error: reason } = errorFields(error);
    const isPasswordMissing = reason.includes('client password must be a string');
    throw new OperatorError(`${variable}: cannot be reached (${isPasswordMissing ? passwordHint : reason})`);
  }
}

/** Formats an error as one line for the operator, without a stack trace. */
export function formatError(error: unknown): string {
  const { error: message, code } = errorFields(error);
  if (code === 'EADDRINUSE') return `ringback: the port is in use (${printable(message)}); set PORT or HEALTH_PORT`;
  return `ringback: ${printable(message.split('\n').join(' '))}`;
}

/** Tells the parent process, if it listens over IPC, that this process is ready. */
export function announceReady(details: Record<string, string> = {}): void {
  process.send?.({ type: 'ready', ...details });
}

// A terminal sends Ctrl-C to the whole process group, and npm passes it on, so one Ctrl-C arrives twice within
// milliseconds.
const duplicateWindowMs = 1_000;

/**
 * Creates a handler of stop signals. The first call runs `onStop`. A call more than one second after it runs
 * `onForcedStop`. An earlier one is ignored as a duplicate.
 */
export function createStopHandler<Reason>(
  onStop: (reason: Reason) => void,
  onForcedStop: () => void,
): (reason: Reason) => void {
  let firstAt: number | undefined;
  return (reason) => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      onStop(reason);
    } else if (Date.now() - firstAt > duplicateWindowMs) onForcedStop();
  };
}

/** Whether a process with this id exists, even if it belongs to another user. */
export function isProcessAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
