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

/**
 * Whether an error's code says that a server cannot be reached, that the connection to it broke, or that this process
 * has no file descriptor left for a connection (EMFILE).
 */
export const isNetworkErrorCode = (code: string): boolean =>
  /^(ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EMFILE|ENOTFOUND|EAI_AGAIN)$/.test(code);
