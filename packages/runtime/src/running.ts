import { existsSync, readFileSync } from 'node:fs';
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
  const running = readData(folder, 'running.json');
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
  const path = new URL(`.data/${file}`, folder);
  if (!existsSync(path)) return undefined;
  const data: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (typeof data !== 'object' || data === null) return undefined;
  return Object.fromEntries(Object.entries(data).filter(([, value]) => typeof value === 'string'));
}
