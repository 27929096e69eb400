import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { homeOfPrograms } from '@ringback/testing';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * The folder that has a program: the repository or, for the apps, the installed npm package that RINGBACK_PACKAGE
 * names, or the bundles of a run of all tests. All have the same tree.
 */
export function homeOf(file: string): string {
  if (!file.startsWith('apps/')) return root;
  if (process.env.RINGBACK_PACKAGE) return join(process.env.RINGBACK_PACKAGE, '/');
  return file.endsWith('/main.js') ? homeOfPrograms(root) : root;
}

export type Running = {
  child: ChildProcess;
  /** What the process has printed so far to stdout and stderr. */
  output(): string;
  /** Resolves with the match when the output matches. Rejects if the process ends first, or after `withinMs`. */
  waitFor(pattern: RegExp, withinMs?: number): Promise<RegExpExecArray>;
  /** Sends the signal and resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  ended: Promise<number | null>;
};

type RunOptions = { env?: NodeJS.ProcessEnv; args?: string[]; from?: string; cwd?: string };

// By default a callback times out after 3 s, which a receiver in a busy test process may exceed.
const defaults = { DATABASE_URL: '', REDIS_URL: '', CALLBACK_TIMEOUT_MS: '20000' };

/** Runs a Node program as a process of its own, in the folder `cwd`. `from` is another folder that has the program. */
export function run(file: string, { env = {}, args = [], from = homeOf(file), cwd = root }: RunOptions = {}): Running {
  const command = [process.execPath, `${from}${file}`, ...args];
  return runProgram(command, { ...defaults, ...env }, cwd);
}

/** Runs any program as a process of its own, in the folder `cwd`. */
export function runProgram([command = '', ...args]: string[], env: NodeJS.ProcessEnv, cwd = root): Running {
  const { NODE_OPTIONS: _ours, ...inherited } = process.env;
  return watch(spawn(command, args, { cwd, env: { ...inherited, ...env }, stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Collects what a process prints. Its stdout and stderr must be pipes. */
export function watch(child: ChildProcess): Running {
  let text = '';
  const looks = new Set<() => void>();
  const hear = (chunk: Buffer) => {
    text += chunk.toString();
    for (const look of looks) look();
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  const ended = once(child, 'close').then(() => {
    for (const look of looks) look();
    return child.exitCode;
  });
  const waitFor = (pattern: RegExp, withinMs = 100_000) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const finish = (act: () => void) => {
        clearTimeout(timer);
        looks.delete(look);
        act();
      };
      const look = () => {
        const match = pattern.exec(text);
        if (match) return finish(() => resolve(match));
        if (child.exitCode !== null) finish(() => reject(new Error(`it ended before ${pattern}:\n${text}`)));
      };
      const timer = setTimeout(
        () => finish(() => reject(new Error(`no ${pattern} within ${withinMs} ms:\n${text}`))),
        withinMs,
      );
      looks.add(look);
      look();
    });
  return {
    child,
    output: () => text,
    waitFor,
    ended,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Runs a command of the command line as a process of its own. Resolves with the JSON that the command prints. */
export async function ringback(args: string[], options: Omit<RunOptions, 'args'> = {}): Promise<unknown> {
  const command = run('apps/cli/dist/main.js', { ...options, args: [...args, '--json'] });
  const code = await command.ended;
  if (code !== 0) throw new Error(`ringback ${args.join(' ')} ended with ${code}: ${command.output()}`);
  return JSON.parse(command.output());
}
