import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

export type Program = { name: string; file: string; env: NodeJS.ProcessEnv };

/** What a process says over its IPC channel when it listens. */
export type Ready = { baseUrl?: string; docsUrl?: string };

export type Watcher = {
  /** A process was started, or one has ended. */
  changed(pid: number | undefined): void;
  /** It is up, for the first time or again. */
  ready(details: Ready): void;
  say(line: string): void;
};

export type Child = {
  /** Rejects with a ChildFailure when the process ends before it is up. */
  up: Promise<void>;
  /** Asks it to stop; kills it when `withinMs` have gone by. */
  stop(withinMs: number): Promise<void>;
  kill(): void;
};

/** A process that could not start; it has said why itself, unless a signal ended it. */
export class ChildFailure extends Error {
  override readonly name = 'ChildFailure';
  constructor(
    message: string,
    readonly exitCode: number | null,
  ) {
    super(message);
  }
}

const longestPauseMs = 30_000;

/** Room for what lives as long as a call; and names whose servers do not answer hold up no others (scripts/run.cjs). */
const tuning = {
  flags: ['--max-semi-space-size=32'],
  env: { UV_THREADPOOL_SIZE: '512', RES_OPTIONS: 'timeout:1 attempts:2' },
};

/**
 * Runs a program of ours as a process of its own, in its own process group, so that a Ctrl-C reaches it through us
 * only. Once it has been up, it is started again whenever it ends by itself, after a pause that grows.
 */
export function runChild(program: Program, watcher: Watcher): Child {
  let current: ChildProcess | undefined;
  let stopping = false;
  const pause = new AbortController();
  const start = () => {
    current = spawnProgram(program);
    watcher.changed(current.pid);
    return current;
  };
  const restartForever = async (first: ChildProcess) => {
    let pauseMs = 500;
    for (let child = first; ; child = start()) {
      const upSince = Date.now();
      const end = await ending(child);
      watcher.changed(undefined);
      if (stopping) return;
      if (Date.now() - upSince > 60_000) pauseMs = 500;
      watcher.say(`The ${program.name} ended unexpectedly (${end}); it is started again in ${pauseMs / 1_000} s.`);
      await sleep(pauseMs, undefined, { signal: pause.signal }).catch(() => undefined);
      if (stopping) return;
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  };
  const first = start();
  const up = firstReady(first, program.name);
  const done = up.then(() => restartForever(first)).catch(() => undefined);
  const kill = () => killGroup(current);
  const stop = async (withinMs: number) => {
    stopping = true;
    pause.abort();
    current?.kill('SIGTERM');
    const timer = setTimeout(kill, withinMs);
    await Promise.all([done, current && ending(current)]);
    clearTimeout(timer);
  };
  return { up, stop, kill };

  function spawnProgram({ file, env }: Program): ChildProcess {
    const child = spawn(process.execPath, [...tuning.flags, file], {
      env: { ...tuning.env, ...env },
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child.on('message', (message) => {
      const details = readReady(message);
      if (details) watcher.ready(details);
    });
    child.on('error', (error) => watcher.say(`The ${program.name} cannot be started: ${error.message}`));
    return child;
  }
}

function readReady(message: unknown): Ready | undefined {
  if (typeof message !== 'object' || !message || !('type' in message) || message.type !== 'ready') return undefined;
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const baseUrl = 'baseUrl' in message ? text(message.baseUrl) : undefined;
  const docsUrl = 'docsUrl' in message ? text(message.docsUrl) : undefined;
  return { ...(baseUrl === undefined ? {} : { baseUrl }), ...(docsUrl === undefined ? {} : { docsUrl }) };
}

/** Resolves when the process says that it is up. */
async function firstReady(child: ChildProcess, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('message', (message) => readReady(message) && resolve());
    void ending(child).then((end) =>
      reject(new ChildFailure(`the ${name} ended before it was up (${end})`, child.exitCode)),
    );
  });
}

/** Resolves with how the process ended. */
async function ending(child: ChildProcess): Promise<string> {
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
