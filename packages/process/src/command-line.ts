import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { nameInUse, withNewNames } from './config.js';
import { commandFor, findDataFolder } from './installation.js';
import { createStopHandler, isProcessAlive, OperatorError } from './lifecycle.js';
import { errorFields } from './logger.js';

export { createProgress, type Progress } from './progress.js';

/** Creates an argument parser for commander that accepts whole numbers from `min` to `max`. */
export const wholeNumber = (min: number, max: number) => (text: string) => {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max)
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  return number;
};

/**
 * An AbortSignal for the first SIGINT or SIGTERM, so that a command can finish. A second one within a second is
 * ignored, because terminals and npm may both send it; later it ends the process with exit code 1.
 */
export function createStopSignal(): AbortSignal {
  const controller = new AbortController();
  const onSignal = createStopHandler(
    () => controller.abort(),
    () => process.exit(1),
  );
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return controller.signal;
}

// The fields of `running.json` in the data folder, which `npm start` writes.
const fieldsByVariable = {
  DATABASE_URL: 'databaseUrl',
  DATABASE_SCHEMA: 'databaseSchema',
  REDIS_URL: 'redisUrl',
  QUEUE_PREFIX: 'queuePrefix',
  SECRETS_KEYS: 'secretsKeys',
};

/**
 * Lets a command find the `npm start` of the current folder. Without DATABASE_URL, the variables of `fieldsByVariable`
 * get its values, or are removed if it has none. With the same DATABASE_URL but without keys of secrets, only its keys
 * are added. Throws an OperatorError if there is neither a DATABASE_URL nor a running `npm start`.
 */
export function completeEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const running = readRunningService();
  if (env.DATABASE_URL) {
    const hasKeys = Boolean(env[nameInUse('SECRETS_KEYS', env)]);
    return running?.databaseUrl === env.DATABASE_URL && !hasKeys ? { ...env, SECRETS_KEYS: running.secretsKeys } : env;
  }
  if (!running) throw new OperatorError(`set DATABASE_URL, or run \`${commandFor('start')}\` in this folder first`);
  const variables = Object.entries(fieldsByVariable).map(([variable, field]) => [variable, running[field]]);
  return { ...withNewNames(env), ...Object.fromEntries(variables) };
}

/** Reads the string fields of a JSON file in the data folder. Undefined if the file cannot be read or has no object. */
export function readDataFile(file: string): Record<string, string> | undefined {
  const data = readObject(file);
  return data && Object.fromEntries(Object.entries(data).filter(hasText));
}

const hasText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string';

/**
 * Reads the addresses, schema, prefix and keys of the `npm start` that runs in the current folder, from `running.json`.
 * Undefined if none runs. The process id in the file is checked, because a killed `npm start` leaves the file behind.
 */
export function readRunningService(): Record<string, string> | undefined {
  const pid = readObject('running.json')?.pid;
  return typeof pid === 'number' && isProcessAlive(pid) ? readDataFile('running.json') : undefined;
}

function readObject(file: string): Record<string, unknown> | undefined {
  try {
    const data: unknown = JSON.parse(readFileSync(new URL(file, findDataFolder()), 'utf8'));
    return typeof data === 'object' && data !== null ? Object.fromEntries(Object.entries(data)) : undefined;
  } catch {
    return undefined;
  }
}

const timeoutMs = 10_000;

/**
 * Checks that the server at a base URL is Ringback, so that a token is never sent to another program on that port. The
 * check reads the OpenAPI document, which needs no token. Throws an OperatorError if the server cannot be reached, or
 * does not send Ringback's document within 10 s.
 */
export async function requireRingback(baseUrl: string): Promise<void> {
  const url = `${baseUrl.replace(/\/+$/, '')}/openapi.json`;
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) }).catch(
    (error: unknown) => {
      const { error: reason } = errorFields(error instanceof Error ? (error.cause ?? error) : error);
      throw new OperatorError(`${baseUrl} cannot be reached (${reason})`);
    },
  );
  const document: unknown = await response.json().catch(() => undefined);
  if (response.status === 200 && isOfRingback(document)) return;
  throw new OperatorError(`the server at ${baseUrl} is not Ringback; no token was sent`);
}

/** Whether an OpenAPI document is that of Ringback's API, whatever the operator calls it. */
function isOfRingback(document: unknown): boolean {
  const paths: unknown = typeof document === 'object' && document !== null ? Reflect.get(document, 'paths') : undefined;
  if (typeof paths !== 'object' || paths === null) return false;
  return ['/portal-sessions/exchange', '/developer/deliveries/{id}/curl'].every((path) => path in paths);
}
