import { once } from 'node:events';
import type { Server } from 'node:net';
import { types } from 'node:util';
import { StartError } from './lifecycle.js';

const notHere = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL']);

/** Listens at a port, on all interfaces without `host`. Throws a StartError that names HOST when it is not this machine. */
export async function listen(
  server: Server,
  { host, port }: { host: string | undefined; port: number },
): Promise<void> {
  server.listen({ port, ...(host === undefined ? {} : { host }) });
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = types.isNativeError(error) && 'code' in error ? String(error.code) : '';
    throw notHere.has(code) ? new StartError(`HOST: ${host} is no address of this machine (${code})`) : error;
  }
}

/** The host that a url of this machine has for a server that listens there. */
export function hostInUrl(host = 'localhost'): string {
  if (['0.0.0.0', '::', '127.0.0.1'].includes(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
