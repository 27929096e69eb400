type Query = (...words: unknown[]) => unknown;
type Pool = { on(event: 'connect', listener: (client: object) => void): unknown };
type Client = { query: Query; connection: { stream: { destroy(): void } } };

/**
 * Closes a connection of a pool of pg as soon as a query on it was not answered in time. Within a transaction nobody
 * else does: its owner gives the connection back like any other, where everybody who gets it waits in vain.
 */
export function leaveMuteConnections(pool: Pool): void {
  pool.on('connect', (connected) => {
    const client = connected as Client;
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
