import { createServer } from 'node:net';

/** Finds a free TCP port on 127.0.0.1: the preferred one if it is free. */
export async function findFreePort(preferred = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => (preferred === 0 ? reject(error) : resolve(findFreePort())));
    server.listen({ port: preferred, host: '127.0.0.1' }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : preferred));
    });
  });
}
