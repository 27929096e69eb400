type Query = (...args: unknown[]) => unknown;
type Pool = { on(event: 'connect', listener: (client: object) => void): unknown };
type Client = {
  query: Query;
  on(event: 'error', listener: () => void): unknown;
  connection: { stream: { destroy(): void } };
};

/** Session settings with which PostgreSQL ends the transactions of a client that vanished, and so frees its locks. */
export const deadClientSettings = {
  idle_in_transaction_session_timeout: 15_000,
  keepalives: { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 },
};

/** Formats settings as the `options` of a connection: `-c name=value -c name=value`. */
const formatOptions = (settings: Record<string, string | number>) =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

// JIT compiles a statement at each execution when its estimated cost is high. That takes 80 to 900 ms for statements that
// run in 2 ms.
const defaultSettings = { jit: 'off' };

/**
 * The connection string and the `options` for a session. The `options` in the URL apply too; where both set the same
 * parameter, `settings` win.
 */
export function sessionConfig(
  databaseUrl: string,
  settings: Record<string, string | number> = {},
): { connectionString: string; options: string } {
  const ours = formatOptions({ ...defaultSettings, ...settings });
  const url = new URL(databaseUrl);
  // pg reads the last one.
  const theirs = url.searchParams.getAll('options').at(-1);
  if (theirs === undefined) return { connectionString: databaseUrl, options: ours };
  // pg would use the URL's options instead of ours.
  url.searchParams.delete('options');
  return { connectionString: url.href, options: `${theirs} ${ours}` };
}

/**
 * Handles broken connections of a pg pool. The error of an idle connection is ignored, because it would end the process
 * and the next statement fails anyway. A connection whose query timed out is closed: in a transaction the pool would
 * take it back and give it to the next caller, whose statements would time out too.
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
