import pg from 'pg';

/**
 * The settings of every session, whatever the role, the database or the server sets. Ringback's statements are written
 * for them. `default_transaction_read_only` is not among them, because a server that accepts no writes must say so.
 */
const sessionSettings = {
  DateStyle: 'ISO,MDY',
  TimeZone: 'UTC',
  IntervalStyle: 'postgres',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
  statement_timeout: 0,
  lock_timeout: 0,
  // JIT compiles a statement at each execution when its estimated cost is high. That takes 80 to 900 ms for statements
  // that run in 2 ms.
  jit: 'off',
  // With these, PostgreSQL detects that a client has vanished, ends its transaction and so releases its locks.
  idle_in_transaction_session_timeout: 15_000,
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
};

/**
 * Formats settings as the `options` of a connection: `-c name=value -c name=value`. PostgreSQL splits them at spaces
 * without a backslash.
 */
const formatOptions = (settings: Record<string, string | number>) =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${String(value).replace(/[\\ ]/g, '\\$&')}`)
    .join(' ');

/**
 * The configuration of a connection or a pool. Every session of Ringback has it. `schema` is where the session finds
 * and creates its tables. The `options` in the URL apply too, except for parameters in `settings` and
 * `sessionSettings`.
 */
export function sessionConfig(databaseUrl: string, schema: string, settings: Record<string, string | number> = {}) {
  const url = new URL(databaseUrl);
  // If a URL has several `options`, pg uses the last one. It would ignore the property `options`.
  const urlOptions = url.searchParams.getAll('options').at(-1);
  url.searchParams.delete('options');
  const options = formatOptions({ ...sessionSettings, search_path: `"${schema}"`, ...settings });
  return {
    connectionString: urlOptions === undefined ? databaseUrl : url.href,
    options: urlOptions === undefined ? options : `${urlOptions} ${options}`,
    Client: SessionClient,
    // After a failover, a connection that only reads may stay on the old server, which gives it no error.
    maxLifetimeSeconds: 60,
    // TCP probes with which the client notices within 20 s that the network dropped an idle connection, such as one
    // that only listens. Node.js sends ten of them, one per second. Without a delay the first would come after two
    // hours.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/**
 * A connection to PostgreSQL that closes itself when it is of no more use: after an error of the connection, when the
 * server is read-only or shuts down, and after a query timeout, because the query still runs on the server. Otherwise a
 * pool could give it to the next caller. Its error events are handled: unhandled, they would end the process, and the
 * next statement reports the error in any case.
 */
export class SessionClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const close = () => void this.connection.stream.destroy();
    this.on('error', () => undefined);
    // Without it, a socket stays open when pg itself gives up, for example because there is no password.
    this.connection.on('error', close);
    const query: (...args: unknown[]) => unknown = this.query.bind(this);
    const queryAndClose = (...args: unknown[]) => {
      const result = query(...args);
      if (result instanceof Promise) result.catch((error: unknown) => isLastError(error) && close());
      return result;
    };
    Object.assign(this, { query: queryAndClose });
  }
}

const isLastError = (error: unknown) =>
  error instanceof Error &&
  (error.message === 'Query read timeout' || ('code' in error && /^(25006|57P0\w)$/.test(String(error.code))));

/** Fails with SQLSTATE 25006 if the server accepts no writes: it is a standby, or was made read-only. */
export const requireWritableSql = `DO $$ BEGIN
  IF current_setting('transaction_read_only')::boolean THEN
    RAISE read_only_sql_transaction USING MESSAGE = 'the database is read-only';
  END IF;
END $$`;

const writableCheckMs = 5_000;

/**
 * Closes a connection when its server becomes read-only, within 5 s. It is for connections that only listen, which no
 * failing write tells that another server is the primary now.
 */
export function closeWhenReadOnly(client: pg.ClientBase): void {
  // The comment tells in pg_stat_activity what the connection is for.
  const check = () => void client.query(`/* listens */ ${requireWritableSql}`).catch(() => undefined);
  const timer = setInterval(check, writableCheckMs).unref();
  client.once('end', () => clearInterval(timer));
}
