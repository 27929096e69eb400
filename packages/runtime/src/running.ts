import { readFileSync } from 'node:fs';
import { StartError } from './lifecycle.js';

const fields = {
  DATABASE_URL: 'databaseUrl',
  REDIS_URL: 'redisUrl',
  QUEUE_PREFIX: 'queuePrefix',
  BASE_URL: 'baseUrl',
  SECRETS_KEY: 'secretsKey',
};

/**
 * The environment of a command that joins a running service: as it is when it has DATABASE_URL, else completed by what
 * the `npm start` that runs in the folder left in `.data/running.json`. When both name the same database, its key for
 * secrets is taken from there. Throws a StartError when there is neither.
 */
export function joinRunning(env: NodeJS.ProcessEnv, folder: URL): NodeJS.ProcessEnv {
  const running = readRunning(folder);
  if (env.DATABASE_URL) {
    const isSame = running?.databaseUrl === env.DATABASE_URL && !env.SECRETS_KEY;
    return isSame ? { ...env, SECRETS_KEY: running.secretsKey } : env;
  }
  if (!running) throw new StartError('set DATABASE_URL, or run `npm start` in this folder first');
  const found = Object.entries(fields).map(([name, field]) => [name, running[field]]);
  return { ...env, ...Object.fromEntries(found) };
}

/** The text fields of a JSON file of `.data/` in the folder, or undefined when there is no such file. */
export function readData(folder: URL, file: string): Record<string, string> | undefined {
  const data = readObject(folder, file);
  return data && Object.fromEntries(Object.entries(data).filter(isText));
}

const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string';

/** What the `npm start` that runs in the folder noted of itself; undefined when it was killed and left its note. */
export function readRunning(folder: URL): Record<string, string> | undefined {
  const pid = readObject(folder, 'running.json')?.pid;
  return typeof pid === 'number' && isAlive(pid) ? readData(folder, 'running.json') : undefined;
}

function readObject(folder: URL, file: string): Record<string, unknown> | undefined {
  try {
    const data: unknown = JSON.parse(readFileSync(new URL(`.data/${file}`, folder), 'utf8'));
    return typeof data === 'object' && data !== null ? Object.fromEntries(Object.entries(data)) : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
