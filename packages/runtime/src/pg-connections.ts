type Query = (...words: unknown[]) => unknown;
type Pool = { on(event: 'connect', listener: (client: object) => void): unknown };
type Client = {
  query: Query;
  on(event: 'error', listener: () => void): unknown;
  connection: { stream: { destroy(): void } };
};

/** With these PostgreSQL frees what a process held that is gone without a word: its transaction, and its locks. */
export const goneSettings = {
  idle_in_transaction_session_timeout: 15_000,
  keepalives: { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 },
};

/** Settings as the `options` of a connection: `-c name=value -c name=value`. */
const optionsOf = (settings: Record<string, string | number>) =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

// With JIT, PostgreSQL compiles a statement at each execution once its estimated cost is high: 80 ms to 900 ms for one
// that takes 2 ms.
const always = { jit: 'off' };

/**
 * The address and the `options` with which every session of Ringback starts. The `options` of the URL itself apply too;
 * where both set the same, ours win.
 */
export function sessionConfig(
  databaseUrl: string,
  settings: Record<string, string | number> = {},
): { connectionString: string; options: string } {
  const ours = optionsOf({ ...always, ...settings });
  const url = new URL(databaseUrl);
  // The last one of several is the one that pg reads.
  const theirs = url.searchParams.getAll('options').at(-1);
  if (theirs === undefined) return { connectionString: databaseUrl, options: ours };
  // pg would take the URL's and forget ours.
  url.searchParams.delete('options');
  return { connectionString: url.href, options: `${theirs} ${ours}` };
}

/**
 * Guards a pool of pg against its connections. One that breaks between two statements of its user fails the second;
 * unheard, its error would end the process. One on which a query was not answered in time is closed: within a
 * transaction its owner gives it back like any other, and everybody who gets it waits in vain.
 */
export function guardConnections(pool: Pool): void {
  pool.on('connect', (connected) => {
    const client = connected as Client;
    client.on('error', () => undefined);
    const query = client.query.bind(client);
    client.query = (...words) => {
      const answer = query(...words);
      if (answer instanceof Promise) answer.catch((error: unknown) => isTimeout(error) && leave(client));
      return answer;
    };
  });
}

const isTimeout = (error: unknown) => error instanceof Error && error.message === 'Query read timeout';
const leave = ({ connection }: Client) => connection.stream.destroy();
