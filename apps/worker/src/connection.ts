import { lookup } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction, Socket } from 'node:net';
import { type AllowList, isForbiddenAddress, isPrivateName } from '@ringback/callbacks';

/** The address that a callback would have connected to is not one it may reach. Nothing was sent. */
export class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddressError';
  readonly code = 'REFUSED_ADDRESS';
}

/** Whether the host of a uri may be connected to: a literal is judged here, a name when it has been resolved. */
export function isRefusedHost(hostname: string, allow: AllowList): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '');
  return isIP(literal) !== 0 && isForbiddenAddress(literal, allow);
}

/** Resolves a name to all its addresses, of which not one may be forbidden; the connection uses just these. */
export function vettedLookup(allow: AllowList): LookupFunction {
  return (hostname, options, done) => {
    const isRefused = isPrivateName(hostname)
      ? (address: string) => !allow.has(address)
      : (address: string) => isForbiddenAddress(address, allow);
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) return done(error ?? new Error('no address'), '', 0);
      if (addresses.some(({ address }) => isRefused(address))) return done(new RefusedAddressError('refused'), '', 0);
      if (options.all) return done(null, addresses);
      return done(null, first.address, first.family);
    });
  };
}

/** Looks once more at the address of a new connection, before the first byte is written. */
function guard<S>(socket: S, allow: AllowList): S {
  if (!(socket instanceof Socket)) return socket;
  socket.once('connect', () => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isForbiddenAddress(remoteAddress, allow)) {
      socket.destroy(new RefusedAddressError('refused'));
    }
  });
  return socket;
}

export type Connections = { agent: { http: http.Agent; https: https.Agent }; close(): void };

/** Agents that keep connections alive for the next callback and connect to vetted addresses only. */
export function openConnections(allow: AllowList): Connections {
  // Idle connections are left soon: a receiver that closes one just as it is used again would cost an attempt.
  const options = { keepAlive: true, lookup: vettedLookup(allow), maxFreeSockets: 256, timeout: 4_000 };
  const plain = new http.Agent(options);
  const secure = new https.Agent(options);
  for (const agent of [plain, secure]) {
    const connect = agent.createConnection.bind(agent);
    agent.createConnection = (...words) => guard(connect(...words), allow);
  }
  const close = () => {
    plain.destroy();
    secure.destroy();
  };
  return { agent: { http: plain, https: secure }, close };
}
