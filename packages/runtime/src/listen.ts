import { once } from 'node:events';
import type { Server } from 'node:net';
import { types } from 'node:util';
import { OperatorError } from './lifecycle.js';

const unknownAddressCodes = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL']);

/**
 * Makes a server listen on a port, on all interfaces when `host` is absent. Throws an OperatorError that names HOST
 * when the host is not an address of this machine.
 */
export async function listen(
  server: Server,
  { host, port }: { host: string | undefined; port: number },
): Promise<void> {
  server.listen({ port, ...(host === undefined ? {} : { host }) });
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = types.isNativeError(error) && 'code' in error ? String(error.code) : '';
    if (!unknownAddressCodes.has(code)) throw error;
    throw new OperatorError(`HOST: ${host} is not an address of this machine (${code})`);
  }
}

/** The host in a URL with which a client on this machine reaches a server that listens on `host`. */
export function hostInUrl(host = 'localhost'): string {
  if (['0.0.0.0', '::', '127.0.0.1'].includes(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
