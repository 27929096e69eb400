import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));

export type Program = {
  output(): string;
  /** Resolves with the match when the output has it. Rejects if the program ends first. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  /** Ends the program, and resolves with its exit code. */
  stop(): Promise<number | null>;
  ended: Promise<number | null>;
};

/** Starts a Node program of the repository. */
export function startProgram(file: string, { env, args = [] }: { env: NodeJS.ProcessEnv; args?: string[] }): Program {
  const { NODE_OPTIONS: _ours, ...inherited } = process.env;
  const child = spawn(process.execPath, [`${root}${file}`, ...args], { env: { ...inherited, REDIS_URL: '', ...env } });
  let text = '';
  const keep = (chunk: Buffer) => (text += chunk.toString());
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const ended = once(child, 'close').then(() => child.exitCode);
  const waitFor = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const match = pattern.exec(text);
      if (match) return match;
      if (child.exitCode !== null) throw new Error(`${file} ended before ${pattern}:\n${text}`);
      await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), ended]);
    }
  };
  const stop = () => {
    child.kill();
    return ended;
  };
  return { output: () => text, waitFor, stop, ended };
}
