import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Fail, OperatorError, type PublicAddress } from '@ringback/process';

type Program = { name: string; file: string; env: NodeJS.ProcessEnv };

/** The address that the API reports over its IPC channel when it is ready. The worker has none. */
type Addresses = Partial<PublicAddress>;

/**
 * The flags make V8's young generation large enough to hold the objects of an attempt until the attempt ends, and keep
 * the old one small. The variables keep slow DNS lookups from delaying other work (scripts/boot.cjs).
 */
const tuning = {
  flags: ['--max-semi-space-size=32', '--heap-growing-percent=70'],
  env: { UV_THREADPOOL_SIZE: '512', RES_OPTIONS: 'timeout:1 attempts:2 ndots:1' },
};

/**
 * A program that runs as a child process. It stops by itself when this process ends, because its IPC channel then
 * closes. If it ends earlier, `fail` is called: without an error if the program could not start, because it has then
 * printed the reason itself.
 */
export class Child {
  /** Resolves when the program is ready. Stays pending if it ends before that. */
  readonly ready: Promise<Addresses>;
  readonly #process: ChildProcess;
  #isStopping = false;

  constructor({ name, file, env }: Program, fail: Fail) {
    this.#process = spawn(process.execPath, [...tuning.flags, file], {
      env: { ...tuning.env, ...env },
      // In a process group of its own, so that a Ctrl-C or the end of the terminal reaches only this process, which
      // then stops everything in order.
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    let isReady = false;
    this.ready = new Promise((resolve) => {
      this.#process.on('message', (message) => {
        if (!isReadyMessage(message)) return;
        isReady = true;
        resolve(message);
      });
    });
    this.#process.on('error', (error) => fail(new OperatorError(`the ${name} cannot be run: ${error.message}`)));
    this.#process.on('exit', (code, signal) => {
      if (this.#isStopping) return;
      if (code && !isReady) fail();
      else fail(new OperatorError(`the ${name} ended unexpectedly (${signal ?? `code ${code}`}); everything stops`));
    });
  }

  /** Sends SIGTERM, and SIGKILL after `withinMs`. Resolves when the process has ended. */
  async stop(withinMs: number): Promise<void> {
    this.#isStopping = true;
    const { pid, exitCode, signalCode } = this.#process;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), withinMs);
    await ended;
    clearTimeout(timer);
  }
}

const isReadyMessage = (message: unknown): message is Addresses =>
  typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready';
