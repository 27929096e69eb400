import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

export type Program = { name: string; file: string; env: NodeJS.ProcessEnv };

/** The addresses that a process reports over its IPC channel when it is ready. */
export type ReadyDetails = { baseUrl?: string; docsUrl?: string };

export type Watcher = {
  /**
   * Called with the id of each process that starts, and with undefined when it has ended. A first process that ends
   * before it is ready causes no second call.
   */
  onPid(pid: number | undefined): void;
  /** Called when the process is ready, also after a restart. */
  onReady(details: ReadyDetails): void;
  print(line: string): void;
};

export type Child = {
  /** Resolves when the first process is ready. Rejects with a ChildFailure when it ends before that. */
  ready: Promise<void>;
  /** Sends SIGTERM, and kills the process group after `withinMs`. Resolves when the process has ended. */
  stop(withinMs: number): Promise<void>;
  /** Kills the process group at once. */
  kill(): void;
};

/** A process ended before it was ready. It has printed the reason itself, unless a signal ended it. */
export class ChildFailure extends Error {
  override readonly name = 'ChildFailure';
  constructor(
    message: string,
    readonly exitCode: number | null,
  ) {
    super(message);
  }
}

const firstPauseMs = 500;
const maxPauseMs = 30_000;
// After a process has run for this long, the next pause is the first one again.
const stableAfterMs = 60_000;

/**
 * The flags make V8's young generation large enough to hold the objects of an attempt until the attempt ends. The
 * variables keep slow DNS lookups from delaying other work (scripts/threads.cjs).
 */
const tuning = {
  flags: ['--max-semi-space-size=32'],
  env: { UV_THREADPOOL_SIZE: '512', RES_OPTIONS: 'timeout:1 attempts:2' },
};

/**
 * Runs a program as a child process in its own process group, so that the terminal's Ctrl-C does not reach it directly.
 * After its first process has been ready, the program is started again whenever its process ends unexpectedly, after a
 * pause that doubles from 0.5 s to 30 s.
 */
export function runChild(program: Program, watcher: Watcher): Child {
  let current: ChildProcess | undefined;
  let isStopping = false;
  const pause = new AbortController();
  const start = () => {
    current = spawnProgram(program);
    watcher.onPid(current.pid);
    return current;
  };
  const restartUntilStopped = async (first: ChildProcess) => {
    let pauseMs = firstPauseMs;
    for (let child = first; ; child = start()) {
      const startedAt = Date.now();
      const exit = await waitForExit(child);
      watcher.onPid(undefined);
      if (isStopping) return;
      if (Date.now() - startedAt > stableAfterMs) pauseMs = firstPauseMs;
      watcher.print(`The ${program.name} ended unexpectedly (${exit}); it is restarted in ${pauseMs / 1_000} s.`);
      await sleep(pauseMs, undefined, { signal: pause.signal }).catch(() => undefined);
      if (isStopping) return;
      pauseMs = Math.min(pauseMs * 2, maxPauseMs);
    }
  };
  const first = start();
  const ready = waitForReady(first, program.name);
  const done = ready.then(() => restartUntilStopped(first)).catch(() => undefined);
  const kill = () => killGroup(current);
  const stop = async (withinMs: number) => {
    isStopping = true;
    pause.abort();
    current?.kill('SIGTERM');
    const timer = setTimeout(kill, withinMs);
    await Promise.all([done, current && waitForExit(current)]);
    clearTimeout(timer);
  };
  return { ready, stop, kill };

  function spawnProgram({ file, env }: Program): ChildProcess {
    const child = spawn(process.execPath, [...tuning.flags, file], {
      env: { ...tuning.env, ...env },
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child.on('message', (message) => {
      const details = readReady(message);
      if (details) watcher.onReady(details);
    });
    child.on('error', (error) => watcher.print(`The ${program.name} cannot be started: ${error.message}`));
    return child;
  }
}

function readReady(message: unknown): ReadyDetails | undefined {
  if (typeof message !== 'object' || !message || !('type' in message) || message.type !== 'ready') return undefined;
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const baseUrl = 'baseUrl' in message ? text(message.baseUrl) : undefined;
  const docsUrl = 'docsUrl' in message ? text(message.docsUrl) : undefined;
  return { ...(baseUrl === undefined ? {} : { baseUrl }), ...(docsUrl === undefined ? {} : { docsUrl }) };
}

/** Resolves when the process reports that it is ready. */
async function waitForReady(child: ChildProcess, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('message', (message) => readReady(message) && resolve());
    void waitForExit(child).then((exit) =>
      reject(new ChildFailure(`the ${name} ended before it was ready (${exit})`, child.exitCode)),
    );
  });
}

/** Resolves with the signal or the exit code of the process. */
async function waitForExit(child: ChildProcess): Promise<string> {
  const describe = () => child.signalCode ?? `code ${child.exitCode}`;
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return describe();
  return new Promise((resolve) => child.once('exit', () => resolve(describe())));
}

function killGroup(child: ChildProcess | undefined): void {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}
