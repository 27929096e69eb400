import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createAccount, createPlatformToken, type Database, openDatabase } from '@ringback/ledger';
import { type Answer, startReceiver, type Receiver } from '@ringback/receiver';
import { type EventSample, sampleEvent, type SampleKind } from '@ringback/rules';
import { homeOfPrograms, until } from '@ringback/testing';

type Reply = { status: number; body: { message: string; data: never } };
type Call = (method: string, path: string, body?: unknown) => Promise<Reply>;
export type Account = { id: string; name: string; call: Call };
export type Webhook = { id: string; name: string; uri: string };
export type Link = { id: string; url: string };
export type SentEvent = { messageId: string; deliveryId: string };

/** The API and a worker, as processes of their own, with a database and a receiver. */
export type Stack = {
  origin: string;
  /** The port of the API, behind whatever its public URL names. */
  port: number;
  receiver: Receiver;
  platformToken: string;
  /** The receiver's answers by path. It answers 200 on other paths. */
  answers: Map<string, Answer>;
  query: (sql: string, values?: unknown[]) => Promise<{ rows: unknown[] }>;
  createAccount: (name: string) => Promise<Account>;
  createWebhook: (account: Account, name: string, path: string, more?: object) => Promise<Webhook>;
  /** Sends an event to a webhook. Resolves when its delivery has the state, by default `delivered`. */
  deliver: (account: Account, webhook: Webhook, options?: DeliverOptions) => Promise<SentEvent>;
  /** Creates a portal link, as a platform does for its customer. `options` are fields of the session. */
  openLink: (account: Account, options?: object) => Promise<Link>;
  endLink: (link: Link) => Promise<void>;
  close: () => Promise<void>;
};

type DeliverOptions = { kind?: SampleKind; state?: string; payload?: Record<string, unknown> };

const settings = {
  PORT: '0',
  EGRESS_ALLOWED_CIDRS: '127.0.0.0/8,::1/128',
  RETRY_TIME_SCALE: '0.00005',
  SMS_RETRIES: '1',
  API_RATE_LIMIT_PER_MINUTE: '100000',
  API_CONCURRENCY_PER_ACCOUNT: '50',
  LOG_FORMAT: 'json',
};

/** Starts the stack on an empty database. */
export async function startStack(databaseUrl: string, moreSettings: NodeJS.ProcessEnv = {}): Promise<Stack> {
  const receiver = await startReceiver();
  const origins = { PORTAL_FRAME_ANCESTORS: `https://platform.example ${receiver.origin}` };
  const env = {
    ...settings,
    ...origins,
    ...moreSettings,
    DATABASE_URL: databaseUrl,
    QUEUE_PREFIX: `p_${randomBytes(6).toString('hex')}`,
  };
  const programs = [startProgram('apps/api/dist/main.js', { env }), startProgram('apps/worker/dist/main.js', { env })];
  const db = openDatabase({ url: databaseUrl, connections: 2, connectTimeoutMs: 60_000 });
  const [token, [started = '']] = await Promise.all([
    createPlatformToken(db, { name: 'portal tests' }),
    programs[0]!.waitFor(/^.*"api\.started".*$/m),
    programs[1]!.waitFor(/worker\.started/),
  ]).catch(async (error: unknown) => {
    await Promise.all([...programs.map((program) => program.stop()), db.close()]);
    throw error;
  });
  const { base_url: baseUrl, port }: { base_url: string; port: number } = JSON.parse(started);
  const answers = new Map<string, Answer>();
  receiver.answerWith(({ path }) => answers.get(path) ?? { status: 200, body: 'OK' });
  const platform = caller(baseUrl, token.token);
  return {
    origin: new URL(baseUrl).origin,
    port,
    receiver,
    platformToken: token.token,
    answers,
    query: (sql, values) => db.pool.query(sql, values),
    createAccount: async (name) => {
      const { id, accessToken } = await createAccount(db, { name });
      return { id, name, call: caller(baseUrl, accessToken) };
    },
    createWebhook: (account, name, path, body = {}) =>
      request<Webhook>(account.call, '/developer/webhooks', { name, uri: `${receiver.origin}${path}`, ...body }),
    deliver: (account, webhook, options) => deliver({ platform, db }, { account, webhook }, options),
    openLink: (account, options) => request<Link>(platform, '/portal-sessions', { account_id: account.id, ...options }),
    endLink: async ({ id }) => void (await platform('DELETE', `/portal-sessions/${id}`)),
    close: () => close(programs, receiver, db),
  };
}

async function close(programs: Program[], receiver: Receiver, db: Database): Promise<void> {
  await db.close();
  await Promise.all(programs.map((program) => program.stop()));
  await receiver.close();
}

/** Creates a function that calls the API with a token. */
const caller =
  (baseUrl: string, token: string): Call =>
  async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${baseUrl}${path}`, { method, headers, ...text });
    return { status: response.status, body: await response.json() } as Reply;
  };

/** Sends a POST until the response is not a 503, which the API sends when the machine is too busy. */
async function request<T>(call: Call, path: string, body: object): Promise<T> {
  const send = async () => {
    const reply = await call('POST', path, body);
    return reply.status !== 503 && reply;
  };
  const { status, body: reply } = await until(send, `POST ${path} is not refused with a 503`, 100_000, 500);
  if (status >= 300) throw new Error(`POST ${path} returned ${status}: ${JSON.stringify(reply)}`);
  return reply.data;
}

type Sender = { platform: Call; db: Database };
type Target = { account: Account; webhook: Webhook };

const sentSql = `SELECT d.id FROM deliveries d JOIN events e ON e.id = d.event_id
  WHERE e.account_id = $1 AND e.message_id = $2 AND d.state::text = $3`;

/**
 * Sends an event and waits for its delivery in the database, not through the API, which limits requests: tests wait for
 * tens of deliveries at once.
 */
async function deliver({ platform, db }: Sender, target: Target, options: DeliverOptions = {}): Promise<SentEvent> {
  const { account, webhook } = target;
  const { kind = 'sms', state = 'delivered', payload = {} } = options;
  const event: EventSample = sampleEvent(kind, { accountId: account.id, webhookId: webhook.id });
  const messageId = String(payload.id ?? event.payload.id);
  await request(platform, '/events', { ...event, payload: { ...event.payload, ...payload } });
  const find = async () => {
    const { rows } = await db.pool.query<{ id: string }>(sentSql, [account.id, messageId, state]);
    return rows[0];
  };
  const delivery = await until(find, `the delivery of ${messageId} is ${state}`, 100_000, 50);
  return { messageId, deliveryId: delivery.id };
}

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));

type Program = {
  output(): string;
  /** Resolves with the match when the output has it. Rejects if the program ends first. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  /** Ends the program, and resolves with its exit code. */
  stop(): Promise<number | null>;
  ended: Promise<number | null>;
};

/** Starts a Node program of the repository. */
function startProgram(file: string, { env, args = [] }: { env: NodeJS.ProcessEnv; args?: string[] }): Program {
  const { NODE_OPTIONS: _ours, ...inherited } = process.env;
  const command = [`${homeOfPrograms(root)}${file}`, ...args];
  const child = spawn(process.execPath, command, { env: { ...inherited, REDIS_URL: '', ...env } });
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
