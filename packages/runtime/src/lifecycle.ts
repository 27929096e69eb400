import { ConfigError } from './config.js';
import { errorFields, type Logger } from './logger.js';

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
 * Calls what a process needs before it starts. Throws a StartError that names the variable when it does not answer, and
 * with the error's own words when those stand alone.
 */
export async function reach(
  variable: string,
  ping: () => Promise<unknown>,
  standsAlone: (error: unknown) => boolean = () => false,
): Promise<void> {
  await ping().catch((error: unknown) => {
    const { error: message } = errorFields(error);
    throw new StartError(standsAlone(error) ? message : `${variable}: cannot be reached (${message})`);
  });
}

/** One line for the operator: what is wrong, without a stack trace for what is not a defect of ours. */
export function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof StartError) return `ringback: ${error.message}`;
  const { error: message, code } = errorFields(error);
  if (code === 'EADDRINUSE') return `ringback: the port is taken (${message}); set PORT or HEALTH_PORT`;
  if (code === '42P01') return `ringback: the database is not migrated (${message}); run \`ringback migrate\``;
  return `ringback: ${message.split('\n').join(' ')}`;
}

/** Tells the process that started this one, if there is such a one, that it is up. */
export function announceReady(details: Record<string, string> = {}): void {
  process.send?.({ type: 'ready', ...details });
}
