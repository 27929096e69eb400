import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll } from '@jest/globals';
import type { Command, Ended } from './cli-host.js';

let host: ChildProcess | undefined;
let last: Promise<unknown> = Promise.resolve();

// The host ends when its channel closes. Jest's process runs more test files, each with a host of its own.
afterAll(() => {
  if (host?.connected) host.disconnect();
});

/**
 * Runs `ringback` with these arguments and resolves when it has ended. The commands of a test file share one process,
 * which runs them one after the other; `runCommand` runs a command as a process of its own.
 */
export function runCli(args: string[], { env = {}, input = '' }: Partial<Omit<Command, 'args'>> = {}): Promise<Ended> {
  const ended = last.then(() => ask({ args, env: { DATABASE_URL: '', REDIS_URL: '', ...env }, input }));
  last = ended.catch(() => undefined);
  return ended;
}

/** Runs a command with `--json`. Resolves with the JSON that it prints. Rejects if it fails. */
export async function ringback(args: string[], options: { env?: NodeJS.ProcessEnv } = {}): Promise<unknown> {
  const { code, stdout, stderr } = await runCli([...args, '--json'], options);
  if (code !== 0) throw new Error(`ringback ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}

async function ask(command: Command): Promise<Ended> {
  const answering = (host ??= startHost());
  answering.channel?.ref();
  const asked = new AbortController();
  const answer = once(answering, 'message', asked);
  const exit = once(answering, 'exit', asked).then(() => Promise.reject(new Error('the host of the commands ended')));
  answering.send(command);
  const [result] = await Promise.race([answer, exit]).finally(() => asked.abort());
  answering.channel?.unref();
  return result;
}

function startHost(): ChildProcess {
  const { NODE_OPTIONS: _ours, ...env } = process.env;
  const started = fork(fileURLToPath(new URL('../dist/cli-host.js', import.meta.url)), { env, execArgv: [] });
  // Between commands the host does not keep the tests' process alive. It ends when that process does.
  started.unref();
  return started;
}
