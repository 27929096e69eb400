import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createAccount, type Database } from '@ringback/ledger';
import { type Call, measureClosedLoop } from '../closed-loop.js';
import { flags, nextMessage } from '../programs.js';
import type { Result, Row } from '../result.js';
import { type BenchOptions, type Stack, startStack } from '../stack.js';

const eachMs = 2_000;
const otherAccounts = 1_000;

type Account = { id: string; accessToken: string };
type Level = { name: string; own: number; others: number };

/**
 * Measures create, show and list with growing numbers of webhooks, of the account and of other accounts. A route with
 * one SELECT is the baseline.
 */
export async function api(options: BenchOptions): Promise<Result> {
  const stack = await startStack({ ...options, workers: 0 });
  const bare = fork(fileURLToPath(new URL('../bare-process.js', import.meta.url)), {
    execArgv: flags,
    env: { ...process.env, DATABASE_URL: stack.servers.databaseUrl, NODE_ENV: 'production' },
  });
  try {
    const { port } = await nextMessage<{ type: string; port: number }>(bare, 'ready');
    const { baseUrl } = await stack.startApi();
    await addOtherAccounts(stack.db);
    const rows: Row[] = [];
    let others = 0;
    const measure = async (level: Level) => {
      await addOthers(stack.db, level.others - others);
      others = level.others;
      const account = await createAccount(stack.db, { name: level.name });
      await addWebhooks(stack.db, account.id, level.own);
      await stack.db.pool.query('VACUUM ANALYZE webhooks');
      return measureLevel(stack, { level, account, baseUrl, bareOrigin: `http://127.0.0.1:${port}` });
    };
    const levels = levelsUpTo(options.rows);
    // Warm-up: code that is not compiled yet is slower.
    for (const level of levels.slice(0, 1)) await measure(level);
    for (const level of levels) {
      options.setStep(`webhooks: ${level.name}`);
      rows.push(...(await measure(level)));
    }
    return { scenario: 'api', title: 'API: closed loop over eight connections', rows };
  } finally {
    bare.kill('SIGKILL');
    await stack.stop();
  }
}

function levelsUpTo(max: number): Level[] {
  const [middle, high] = [Math.min(10_000, max), max];
  const name = (own: number, others: number) =>
    `${own.toLocaleString('en')} + ${others.toLocaleString('en')} of others`;
  const levels = [
    [10, 0],
    [10, middle],
    [10, high],
    [middle, high],
    [high, high],
  ].map(([own = 0, others = 0]) => ({ name: name(own, others), own, others }));
  // With a small --rows some levels are equal.
  return levels.filter((level, index) => levels.findIndex(({ name: other }) => other === level.name) === index);
}

type Measurement = { level: Level; account: Account; baseUrl: string; bareOrigin: string };

async function measureLevel({ db }: Stack, { level, account, baseUrl, bareOrigin }: Measurement): Promise<Row[]> {
  const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM webhooks WHERE account_id = $1 LIMIT 1000', [
    account.id,
  ]);
  const id = () => rows[Math.floor(Math.random() * rows.length)]?.id ?? '';
  const { origin, pathname } = new URL(baseUrl);
  const path = `${pathname}/developer/webhooks`;
  const headers = { authorization: `Bearer ${account.accessToken}` };
  const get = (rest: () => string) => (): Call => ({ method: 'GET', path: `${path}${rest()}`, headers });
  const body = JSON.stringify({ name: 'created', uri: 'https://example.com/hook' });
  const create: Call = { method: 'POST', path, headers: { ...headers, 'content-type': 'application/json' }, body };
  const lastPage = Math.ceil(level.own / 15);

  const bare = await measureClosedLoop(eachMs, bareOrigin, () => ({
    method: 'GET',
    path: `/bare/${account.id}/${id()}`,
  }));
  const calls: [string, () => Call][] = [
    ['show', get(() => `/${id()}`)],
    ['list', get(() => '')],
    ['list, middle page', get(() => `?page=${Math.ceil(lastPage / 2)}`)],
    ['list, last page', get(() => `?page=${lastPage}`)],
    ['list by name', get(() => '?filter%5Bname%5D=webhook%207')],
    ['create', () => create],
  ];
  const figures: Row[] = [{ webhooks: level.name, call: 'bare route', 'of the bare route': 1, ...bare.row }];
  for (const [name, call] of calls) {
    const { row, successes } = await measureClosedLoop(eachMs, origin, call);
    const share = Number(row['requests/s']) / Number(bare.row['requests/s']);
    const missing = name === 'create' ? { missing: successes - (await removeCreated(db, account.id)) } : {};
    figures.push({ webhooks: level.name, call: name, 'of the bare route': share, ...row, ...missing });
  }
  return figures;
}

/** Deletes the created webhooks. Resolves with their number. */
async function removeCreated({ pool }: Database, accountId: string): Promise<number> {
  const { rowCount } = await pool.query(`DELETE FROM webhooks WHERE account_id = $1 AND name = 'created'`, [accountId]);
  return rowCount ?? 0;
}

async function addOtherAccounts({ pool }: Database): Promise<void> {
  await pool.query(
    `INSERT INTO accounts (name, callback_token) SELECT 'other', gen_random_uuid()::text FROM generate_series(1, $1::int)`,
    [otherAccounts],
  );
}

const columns = `account_id, name, uri, created_at, updated_at`;
const values = `'webhook ' || n, 'https://example.com/' || n, at, at`;
const series = `generate_series(1, $1::int) AS n CROSS JOIN LATERAL (SELECT now() - n * interval '1 second' AS at) t`;

async function addOthers({ pool }: Database, count: number): Promise<void> {
  await pool.query(
    `INSERT INTO webhooks (${columns}) SELECT ids[1 + n % array_length(ids, 1)], ${values}
      FROM (SELECT array_agg(id) AS ids FROM accounts WHERE name = 'other') a CROSS JOIN ${series}`,
    [count],
  );
}

async function addWebhooks({ pool }: Database, accountId: string, count: number): Promise<void> {
  await pool.query(`INSERT INTO webhooks (${columns}) SELECT $2::uuid, ${values} FROM ${series}`, [count, accountId]);
}
