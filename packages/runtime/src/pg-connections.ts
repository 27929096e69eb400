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
export const optionsOf = (settings: Record<string, string | number>) =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

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
