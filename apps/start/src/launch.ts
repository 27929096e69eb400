import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { migrate, openDatabase } from '@ringback/database';
import { startEmbeddedPostgres } from '@ringback/embedded';
import { errorFields, readConfig, StartError } from '@ringback/runtime';
import { type Child, type Program, type Ready, runChild } from './child.js';
import { type DemoAccount, provideDemoAccount } from './demo-account.js';
import { composeGreeting } from './greeting.js';
import { endLeftovers, recordChildren } from './leftovers.js';
import { takeLock } from './lock.js';
import { writePrivate } from './private-file.js';
import { provideSecretsKey } from './secrets-key.js';
import type { Session } from './session.js';
import { childEnv, readSettings, type Settings } from './settings.js';

export type LaunchOptions = {
  /** Where everything is kept that has to outlive a stop. */
  folder: string;
  /** The files of the two programs. */
  programs: { api: string; worker: string };
  env: NodeJS.ProcessEnv;
};

const say = (text: string) => process.stdout.write(`${text}\n`);

/** Brings everything up, in the order in which it is needed: the folder, PostgreSQL, its tables, the API, the worker. */
export async function launch({ folder, programs, env }: LaunchOptions, session: Session): Promise<void> {
  const settings = readSettings(env);
  makeFolder(folder);
  session.onStop(takeLock(join(folder, 'lock')));
  rmSync(join(folder, 'running.json'), { force: true });
  await endLeftovers(join(folder, 'processes.json'), 4_000);
  const databaseUrl = settings.databaseUrl ?? (await startPostgres(folder, session));
  const childrenEnv = childEnv(env, { databaseUrl, secretsKey: provideSecretsKey(env, settings, folder) });
  const account = await session.unlessEnding(prepareDatabase(childrenEnv, settings, folder));

  const { baseUrl, docsUrl } = await startPrograms({ folder, programs, env: childrenEnv }, settings, session);
  say(
    composeGreeting({
      account,
      baseUrl,
      docsUrl,
      data: `${folder}${settings.databaseUrl === undefined ? '' : ', and the database that DATABASE_URL names'}`,
      queue:
        settings.redisUrl === undefined
          ? 'in PostgreSQL (set REDIS_URL for Redis)'
          : 'in the Redis that REDIS_URL names',
    }),
  );
}

function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
}

async function startPostgres(folder: string, session: Session): Promise<string> {
  const postgres = await startEmbeddedPostgres({ folder: join(folder, 'postgres') });
  session.onStop(() => postgres.stop(700));
  void postgres.ended.then(() => {
    session.end(1, `ringback: PostgreSQL ended unexpectedly; ${join(folder, 'postgres', 'postgres.log')} may say why`);
  });
  return postgres.url;
}

async function prepareDatabase(
  env: NodeJS.ProcessEnv,
  { databaseUrl }: Settings,
  folder: string,
): Promise<DemoAccount> {
  const { DATABASE_URL: url, SECRETS_KEY: secretKeys } = readConfig(env, ['DATABASE_URL', 'SECRETS_KEY']);
  try {
    await migrate(url);
  } catch (error) {
    if (databaseUrl === undefined) throw error;
    throw new StartError(
      `the database that DATABASE_URL names cannot be used: ${errorFields(error).error || errorFields(error).code}`,
    );
  }
  const db = openDatabase({ url, secretKeys, connections: 2 });
  try {
    return await provideDemoAccount(db, join(folder, 'demo.json'));
  } finally {
    await db.close();
  }
}

async function startPrograms(
  { folder, programs, env }: LaunchOptions,
  settings: Settings,
  session: Session,
): Promise<Required<Ready>> {
  const children: Child[] = [];
  const running = join(folder, 'running.json');
  const record = recordChildren(join(folder, 'processes.json'));
  session.onStop(() => rmSync(running, { force: true }));
  session.onStop(async () => void (await Promise.all(children.map((child) => child.stop(3_300)))));
  const apiEnv: NodeJS.ProcessEnv = { ...env, PORT: String(settings.port) };
  let address: Required<Ready> = { baseUrl: '', docsUrl: '' };

  // One after the other, so that a setting which neither can work with is complained about once.
  await startOne({ name: 'API', file: programs.api, env: apiEnv }, ({ baseUrl = '', docsUrl }) => {
    address = { baseUrl, docsUrl: docsUrl ?? new URL('/docs', baseUrl).href };
    const { DATABASE_URL: databaseUrl, SECRETS_KEY: secretsKey } = env;
    writePrivate(running, {
      pid: process.pid,
      databaseUrl,
      secretsKey,
      redisUrl: settings.redisUrl,
      baseUrl,
      queuePrefix: settings.queuePrefix,
    });
    // A free port that was taken once is kept when the API has to be started again.
    if (settings.port === 0 && !env.BASE_URL) apiEnv.PORT = new URL(baseUrl).port;
  });
  await startOne({ name: 'worker', file: programs.worker, env }, () => undefined);
  return address;

  async function startOne(program: Program, ready: (details: Ready) => void): Promise<void> {
    const child = runChild(program, { ready, say, changed: (pid) => record(program.name, pid) });
    children.push(child);
    session.onForce(child.kill);
    await session.unlessEnding(child.up);
  }
}
