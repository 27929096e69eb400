import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { homeOf, root } from './processes.js';

export type Ended = { code: number | null; stdout: string; stderr: string };

/** Runs a Node program to its end, in the folder `cwd` and with `input` on its stdin. */
export async function runCommand(
  file: string,
  {
    args = [],
    env = {},
    input = '',
    cwd = root,
  }: { args?: string[]; env?: NodeJS.ProcessEnv; input?: string; cwd?: string },
): Promise<Ended> {
  const { NODE_OPTIONS: _ours, ...inherited } = process.env;
  const child = spawn(process.execPath, [`${homeOf(file)}${file}`, ...args], {
    cwd,
    env: { ...inherited, DATABASE_URL: '', REDIS_URL: '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A command that does not read its stdin may have ended before the input is written.
  child.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}
