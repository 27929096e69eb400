import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { migrate, openDatabase } from '@ringback/ledger';
import { type Binaries, findBinaries, startEmbeddedPostgres } from '@ringback/embedded';
import {
  docsUrlOf,
  errorFields,
  type Fail,
  type OnStop,
  OperatorError,
  portalLink,
  readAddressSettings,
  readConfig,
  type VariableName,
  variables,
  withNewNames,
} from '@ringback/process';
import { Child } from './child.js';
import { type DemoAccount, ensureDemoAccount, formatGreeting, openDemoPortal } from './demo.js';
import { ensureSecretsKeys, writePrivate } from './private-files.js';

type LaunchOptions = {
  /** The folder for data that is kept between starts. */
  folder: string;
  /** The main files of the two programs. */
  programs: { api: string; worker: string };
  env: NodeJS.ProcessEnv;
};

/**
 * Starts everything, in this order: checks the variables, starts PostgreSQL (unless DATABASE_URL is set), migrates,
 * creates the demo account, starts the API and the worker. Then prints the greeting. When one of them ends, everything
 * stops.
 */
export async function launch({ folder, programs, env }: LaunchOptions, onStop: OnStop, fail: Fail): Promise<void> {
  // All variables are checked, so that an invalid one stops the start before anything is changed.
  const config = readConfig(env, variableNames(env));
  readAddressSettings(config);
  const isEmbedded = !env.DATABASE_URL;
  const binaries = isEmbedded ? await findBinaries() : undefined;
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
  const databaseUrl = binaries ? await startPostgres(folder, binaries, onStop, fail) : config.DATABASE_URL;

  const given = withNewNames(env);
  const childEnv: NodeJS.ProcessEnv = {
    ...given,
    DATABASE_URL: databaseUrl,
    SECRETS_KEYS: ensureSecretsKeys(given, folder),
    // By default, callbacks may be sent to this machine, and both programs listen on 127.0.0.1 only.
    EGRESS_ALLOWED_CIDRS: given.EGRESS_ALLOWED_CIDRS ?? '127.0.0.0/8,::1/128',
    HOST: env.HOST || '127.0.0.1',
  };
  const { account, linkToken } = await prepareDatabase(childEnv, folder, isEmbedded);

  const children: Child[] = [];
  onStop('children', () => Promise.all(children.map((child) => child.stop(childStopMs))));
  const start = async (name: string, file: string) => {
    const child = new Child({ name, file, env: childEnv }, fail);
    children.push(child);
    return child.ready;
  };
  // One after the other, so that only one of them reports what is wrong for both.
  const { publicUrl = '', baseUrl = '' } = await start('API', programs.api);
  // The command line finds the database and the queues here.
  const running = join(folder, 'running.json');
  writePrivate(running, {
    pid: process.pid,
    databaseUrl,
    databaseSchema: config.DATABASE_SCHEMA,
    secretsKeys: childEnv.SECRETS_KEYS,
    redisUrl: config.REDIS_URL,
    publicUrl,
    baseUrl,
    queuePrefix: config.QUEUE_PREFIX,
  });
  onStop('running.json', () => rmSync(running, { force: true }));
  await start('worker', programs.worker);

  const greeting = formatGreeting({
    account,
    baseUrl,
    docsUrl: docsUrlOf({ publicUrl }),
    portalUrl: portalLink({ publicUrl }, linkToken),
    data: `${folder}${isEmbedded ? '' : ', and the database that DATABASE_URL names'}`,
    queue: config.REDIS_URL ? 'in the Redis that REDIS_URL names' : 'in PostgreSQL (set REDIS_URL for Redis)',
  });
  process.stdout.write(`${greeting}\n`);
}

// `npm start` promises that Ctrl-C stops everything within 5 s: first the API and the worker, then PostgreSQL.
export const stopWithinMs = 4_800;
const childStopMs = 3_300;
const postgresStopMs = 700;

const variableNames = (env: NodeJS.ProcessEnv) =>
  Object.keys(variables).filter(
    (name): name is VariableName => name in variables && (name !== 'DATABASE_URL' || Boolean(env[name])),
  );

async function startPostgres(folder: string, binaries: Binaries, onStop: OnStop, fail: Fail): Promise<string> {
  const postgres = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), binaries });
  let isStopping = false;
  onStop('PostgreSQL', () => {
    isStopping = true;
    return postgres.stop(postgresStopMs);
  });
  void postgres.ended.then(() => {
    const log = join(folder, 'postgres', 'postgres.log');
    if (!isStopping) fail(new OperatorError(`PostgreSQL ended unexpectedly; see ${log}`));
  });
  return postgres.url;
}

async function prepareDatabase(
  env: NodeJS.ProcessEnv,
  folder: string,
  isEmbedded: boolean,
): Promise<{ account: DemoAccount; linkToken: string }> {
  const names = ['DATABASE_URL', 'DATABASE_SCHEMA', 'SECRETS_KEYS'] as const;
  const { DATABASE_URL: url, DATABASE_SCHEMA: schema, SECRETS_KEYS: secretKeys } = readConfig(env, names);
  await migrate(url, { schema }).catch((error: unknown) => {
    if (isEmbedded) throw error;
    const { error: reason, code } = errorFields(error);
    throw new OperatorError(`the database that DATABASE_URL names cannot be used: ${reason || code}`);
  });
  const db = openDatabase({ url, schema, secretKeys, connections: 2, connectTimeoutMs: 10_000 });
  try {
    const account = await ensureDemoAccount(db, join(folder, 'demo.json'));
    return { account, linkToken: await openDemoPortal(db, account) };
  } finally {
    await db.close();
  }
}
