import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { migrate, openDatabase } from '@ringback/database';
import { type Binaries, findBinaries, startEmbeddedPostgres } from '@ringback/embedded';
import { errorFields, readConfig, OperatorError, portalLink } from '@ringback/runtime';
import { type Child, type Program, type ReadyDetails, runChild } from './child.js';
import { type DemoAccount, ensureDemoAccount, openDemoPortal } from './demo-account.js';
import { formatGreeting } from './greeting.js';
import { acquireFolderLock } from './folder-lock.js';
import { createChildRecord, stopOrphans } from './orphans.js';
import { writePrivate } from './private-file.js';
import { ensureSecretsKey } from './secrets-key.js';
import type { RunControls } from './session.js';
import { childEnv, readSettings, type Settings } from './settings.js';

export type LaunchOptions = {
  /** The folder for data that is kept between starts. */
  folder: string;
  /** The main files of the two programs. */
  programs: { api: string; worker: string };
  env: NodeJS.ProcessEnv;
};

const print = (text: string) => process.stdout.write(`${text}\n`);

/**
 * Starts everything, in this order: checks the variables, locks the folder, waits for orphans of the last start, starts
 * PostgreSQL (unless DATABASE_URL is set), migrates, creates the demo account, starts the API and the worker. Then
 * prints the greeting.
 */
export async function launch({ folder, programs, env }: LaunchOptions, session: RunControls): Promise<void> {
  const settings = readSettings(env);
  const binaries = settings.databaseUrl === undefined ? await findBinaries() : undefined;
  createFolder(folder);
  session.onStop(acquireFolderLock(join(folder, 'lock')));
  rmSync(join(folder, 'running.json'), { force: true });
  await stopOrphans(join(folder, 'processes.json'), 4_000);
  const databaseUrl = settings.databaseUrl ?? (await startPostgres(folder, binaries, session));
  const childrenEnv = childEnv(env, { databaseUrl, secretsKey: ensureSecretsKey(env, settings, folder) });
  const { account, linkToken } = await session.raceStop(prepareDatabase(childrenEnv, settings, folder));

  const { baseUrl, docsUrl } = await startPrograms({ folder, programs, env: childrenEnv }, settings, session);
  print(
    formatGreeting({
      account,
      baseUrl,
      docsUrl,
      portalUrl: portalLink(baseUrl, linkToken),
      data: `${folder}${settings.databaseUrl === undefined ? '' : ', and the database that DATABASE_URL names'}`,
      queue:
        settings.redisUrl === undefined
          ? 'in PostgreSQL (set REDIS_URL for Redis)'
          : 'in the Redis that REDIS_URL names',
    }),
  );
}

function createFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
}

async function startPostgres(folder: string, binaries: Binaries | undefined, session: RunControls): Promise<string> {
  const postgres = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), binaries });
  session.onStop(() => postgres.stop(700));
  void postgres.ended.then(() => {
    session.stop(1, `ringback: PostgreSQL ended unexpectedly; see ${join(folder, 'postgres', 'postgres.log')}`);
  });
  return postgres.url;
}

async function prepareDatabase(
  env: NodeJS.ProcessEnv,
  { databaseUrl }: Settings,
  folder: string,
): Promise<{ account: DemoAccount; linkToken: string }> {
  const names = ['DATABASE_URL', 'DATABASE_SCHEMA', 'SECRETS_KEY'] as const;
  const { DATABASE_URL: url, DATABASE_SCHEMA: schema, SECRETS_KEY: secretKeys } = readConfig(env, names);
  try {
    await migrate(url, { schema });
  } catch (error) {
    if (databaseUrl === undefined) throw error;
    throw new OperatorError(
      `the database that DATABASE_URL names cannot be used: ${errorFields(error).error || errorFields(error).code}`,
    );
  }
  const db = openDatabase({ url, schema, secretKeys, connections: 2, connectTimeoutMs: 10_000 });
  try {
    const account = await ensureDemoAccount(db, join(folder, 'demo.json'));
    return { account, linkToken: await openDemoPortal(db, account) };
  } finally {
    await db.close();
  }
}

async function startPrograms(
  { folder, programs, env }: LaunchOptions,
  settings: Settings,
  session: RunControls,
): Promise<Required<ReadyDetails>> {
  const children: Child[] = [];
  const runningFile = join(folder, 'running.json');
  const recordChild = createChildRecord(join(folder, 'processes.json'));
  session.onStop(() => rmSync(runningFile, { force: true }));
  session.onStop(async () => void (await Promise.all(children.map((child) => child.stop(3_300)))));
  const apiEnv: NodeJS.ProcessEnv = { ...env, PORT: String(settings.port) };
  let addresses: Required<ReadyDetails> = { baseUrl: '', docsUrl: '' };

  // The programs are started one after the other, so that only one of them reports what is wrong for both.
  await startOne({ name: 'API', file: programs.api, env: apiEnv }, ({ baseUrl = '', docsUrl }) => {
    addresses = { baseUrl, docsUrl: docsUrl ?? new URL('/docs', baseUrl).href };
    const { DATABASE_URL: databaseUrl, DATABASE_SCHEMA: databaseSchema, SECRETS_KEY: secretsKey } = env;
    writePrivate(runningFile, {
      pid: process.pid,
      databaseUrl,
      databaseSchema,
      secretsKey,
      redisUrl: settings.redisUrl,
      baseUrl,
      queuePrefix: settings.queuePrefix,
    });
    // PORT=0 chose a free port. A restarted API uses the same one.
    if (settings.port === 0 && !env.BASE_URL) apiEnv.PORT = new URL(baseUrl).port;
  });
  await startOne({ name: 'worker', file: programs.worker, env }, () => undefined);
  return addresses;

  async function startOne(program: Program, onReady: (details: ReadyDetails) => void): Promise<void> {
    const child = runChild(program, { onReady, print, onPid: (pid) => recordChild(program.name, pid) });
    children.push(child);
    session.onForcedStop(child.kill);
    await session.raceStop(child.ready);
  }
}
