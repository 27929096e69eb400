import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Guard, stopWithParent } from '@ringback/embedded';
import { withTimeout } from '@ringback/process';
import { homeOfPrograms, readProcessUsage } from '@ringback/testing';

const root = fileURLToPath(new URL('../../../', import.meta.url));
// A busy machine may take tens of seconds to load a program.
const startTimeoutMs = 180_000;

/** A process of Ringback. */
export type Program = {
  pid: number;
  /** The fields of its message when it was ready. */
  details: Record<string, string>;
  /** Sends a signal. Resolves when the process has ended, with its exit code or the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | string>;
  /** The exit code, or the signal that ended the process. Undefined while it runs. */
  ending(): number | string | undefined;
  /** Whether the process ended, and `end` was never called. */
  endedByItself(): boolean;
  /** The content of the log file so far. */
  output(): string;
};

/** `wrapper`: a command with its arguments that executes the program. `args`: the arguments of the program. */
export type ProgramOptions = { env: NodeJS.ProcessEnv; logFile: string; wrapper?: string[]; args?: string[] };

/**
 * Starts a program of the repository. Resolves when the program reports that it is ready, and rejects if it ends first.
 */
export async function startProgram(
  file: string,
  { env, logFile, wrapper = [], args = [] }: ProgramOptions,
): Promise<Program> {
  const log = openSync(logFile, 'a');
  const [command = process.execPath, ...commandArgs] = [
    ...wrapper,
    process.execPath,
    `${homeOfPrograms(root)}${file}`,
    ...args,
  ];
  const child = spawn(command, commandArgs, { cwd: root, env: cleanEnv(env), stdio: ['ignore', log, log, 'ipc'] });
  closeSync(log);
  const guard = stopWithParent(child.pid ?? 0, [{ signal: 'SIGKILL', withinMs: 1_000 }]);
  const ended = endOf(child, guard);
  const output = () => readFileSync(logFile, 'utf8');
  const endedEarly = ended.then((ending) => {
    throw new Error(`${file} ended with ${ending} before it was ready:\n${output()}`);
  });
  endedEarly.catch(() => undefined);
  const [details] = await withTimeout(startTimeoutMs, Promise.race([once(child, 'message'), endedEarly]), () => {
    throw new Error(`${file} was not ready within ${startTimeoutMs / 1_000} s`);
  });
  let signalled = false;
  return {
    pid: child.pid ?? 0,
    details: { ...details },
    end: (signal) => {
      signalled = true;
      child.kill(signal);
      return ended;
    },
    ending: () => child.exitCode ?? child.signalCode ?? undefined,
    endedByItself: () => !signalled && (child.exitCode ?? child.signalCode) !== null,
    output,
  };
}

/** Runs a command of `ringback`. Resolves with its exit code and its JSON output. */
export async function runCommand(
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | string; json: unknown }> {
  const command = [`${homeOfPrograms(root)}apps/cli/dist/main.js`, ...args, '--json'];
  const child = spawn(process.execPath, command, { env: cleanEnv(env), stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (err += chunk));
  await once(child, 'close');
  if (out === '') throw new Error(`ringback ${args.join(' ')} ended with ${child.exitCode}: ${err}`);
  return { code: child.exitCode ?? child.signalCode ?? 'nothing', json: JSON.parse(out) };
}

function cleanEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _ours, DATABASE_URL: _database, REDIS_URL: _redis, ...inherited } = process.env;
  return { ...inherited, ...env };
}

async function endOf(child: ChildProcess, guard: Guard): Promise<number | string> {
  await once(child, 'exit');
  guard.cancel();
  return child.exitCode ?? child.signalCode ?? 'nothing';
}

/** The CPU time of a process so far, and its current memory and sockets. */
export type Usage = { cpuMs: number; rssMb: number; sockets: number };

/** Reads the usage of a process. Throws if the process does not exist. */
export function usageOf(pid: number): Usage {
  const usage = readProcessUsage(pid);
  if (usage === undefined) throw new Error(`there is no process ${pid}`);
  const isSocket = (name: string) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`).startsWith('socket:');
    } catch {
      return false;
    }
  };
  return {
    cpuMs: usage.cpuMs,
    rssMb: usage.rssBytes / 1_048_576,
    sockets: readdirSync(`/proc/${pid}/fd`).filter(isSocket).length,
  };
}
