type Query = (...args: unknown[]) => unknown;
type Pool = { on(event: 'connect', listener: (client: object) => void): unknown };
type Client = {
  query: Query;
  on(event: 'error', listener: () => void): unknown;
  connection: { stream: { destroy(): void } };
};

/**
 * Session settings with which PostgreSQL detects that a client has vanished, ends its transaction and so releases its
 * locks. `keepalives` are separate, because pg has a client option for the timeout, but none for them.
 */
export const deadClientDetection = {
  idle_in_transaction_session_timeout: 15_000,
  keepalives: { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 },
};

/** Formats settings as the `options` of a connection: `-c name=value -c name=value`. */
const formatOptions = (settings: Record<string, string | number>) =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

// JIT compiles a statement at each execution when its estimated cost is high. That takes 80 to 900 ms for statements
// that run in 2 ms.
const defaultSettings = { jit: 'off' };

/**
 * TCP probes with which the client notices within 20 s that the network dropped an idle connection, such as one that
 * only listens. Node.js sends ten of them, one per second. Without a delay the first would come after two hours.
 */
const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

export type SessionConfig = { connectionString: string; options: string } & typeof keepAlive;

/**
 * The connection string and the `options` for a session. The `options` in the URL apply too, except for parameters in
 * `settings`, and `jit`, which is always off.
 */
export function sessionConfig(databaseUrl: string, settings: Record<string, string | number> = {}): SessionConfig {
  const options = formatOptions({ ...defaultSettings, ...settings });
  const url = new URL(databaseUrl);
  // If a URL has several `options`, pg uses the last one.
  const urlOptions = url.searchParams.getAll('options').at(-1);
  if (urlOptions === undefined) return { connectionString: databaseUrl, options, ...keepAlive };
  // Otherwise pg would ignore the property `options`.
  url.searchParams.delete('options');
  return { connectionString: url.href, options: `${urlOptions} ${options}`, ...keepAlive };
}

/**
 * Handles broken connections of a pg pool. The error of an idle connection is ignored: unhandled, it would end the
 * process, and the next statement reports it in any case. After a query timeout the query still runs on the server, so
 * the connection is closed. Otherwise the pool could give it to the next caller, whose statements would time out too.
 */
export function handleConnectionErrors(pool: Pool): void {
  pool.on('connect', (connected) => {
    const client = connected as Client;
    client.on('error', () => undefined);
    const query = client.query.bind(client);
    client.query = (...args) => {
      const result = query(...args);
      if (result instanceof Promise) result.catch((error: unknown) => isTimeout(error) && closeConnection(client));
      return result;
    };
  });
}

const isTimeout = (error: unknown) => error instanceof Error && error.message === 'Query read timeout';
const closeConnection = ({ connection }: Client) => connection.stream.destroy();
