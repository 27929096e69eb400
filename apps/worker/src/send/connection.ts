import http from 'node:http';
import https from 'node:https';
import { Socket } from 'node:net';
import { type AllowList, isForbiddenAddress } from '@ringback/callbacks';
import type { Proxy } from '@ringback/runtime';
import { noteTimes } from './connection-times.js';
import { cacheNames, type Resolve, resolveName, vettedLookup } from './egress-names.js';
import { openTunnel } from './egress-proxy.js';
import { isRefusedHost, isRefusedTunnelHost, RefusedAddressError } from './egress-refusal.js';
import { limitIdle } from './idle-connections.js';

/** Opens a connection. `open` is the agent's own way; tests put something else in its place. */
export type Connect = (options: http.ClientRequestArgs, open: () => Socket) => Socket;

export type ConnectionSettings = {
  /** How long the opening of a connection may take. */
  timeoutMs: number;
  allow: AllowList;
  /** All connections go through this HTTP proxy with CONNECT, which then resolves the names. */
  proxy?: Proxy | undefined;
  /** Most connections to one host. Calls beyond it wait, and their deadline runs. */
  perHost?: number | undefined;
  /** Most idle connections to all hosts together; the one idle for longest gives way. */
  mostIdle?: number | undefined;
  /** How long the answer of a DNS query is used. */
  dnsTtlMs?: number | undefined;
  resolve?: Resolve | undefined;
  connect?: Connect | undefined;
  /** A certificate that is trusted in place of the usual ones. */
  ca?: string | undefined;
};

export type Agents = { http: http.Agent; https: https.Agent };

export type Connections = { agents: Agents; close(): void };

const defaults = { perHost: 256, mostIdle: 256, dnsTtlMs: 10_000 };
// Node's 100 are fewer than the receivers of a busy worker. A session takes some 2 KB.
const maxCachedSessions = 5_000;
const names = {
  ...{ failureTtlMs: 1_000, patienceMs: 500, lastGoodMs: 3_600_000, most: 10_000 },
  now: () => performance.now(),
};

/** Agents that connect to vetted addresses only (behaviour: egress), each of their connections bounded. */
export function openConnections(settings: ConnectionSettings): Connections {
  const { perHost = defaults.perHost, dnsTtlMs = defaults.dnsTtlMs, resolve = resolveName } = settings;
  const lookup = vettedLookup(settings.allow, cacheNames(resolve, { ...names, ttlMs: dnsTtlMs }));
  const keeping = { lookup, maxSockets: perHost, maxFreeSockets: perHost, keepAlive: true };
  // Said here, it holds whatever NODE_TLS_REJECT_UNAUTHORIZED says.
  const trust = { rejectUnauthorized: true, ...(settings.ca === undefined ? {} : { ca: settings.ca }) };
  const agents = {
    http: new http.Agent(keeping),
    https: new https.Agent({ ...keeping, ...trust, maxCachedSessions }),
  };
  const keep = limitIdle(settings.mostIdle ?? defaults.mostIdle);
  const each = [agents.http, agents.https];
  for (const agent of each) {
    vet(agent, settings);
    keep(agent);
  }
  return { agents, close: () => each.forEach((agent) => agent.destroy()) };
}

type Open = (options: http.ClientRequestArgs) => Socket;

/** Has an agent judge each address before it connects, and once more when it has connected. */
function vet(agent: http.Agent, settings: ConnectionSettings): void {
  const { allow, proxy, connect = (_options, open) => open(), timeoutMs } = settings;
  const openDirectly = agent.createConnection.bind(agent);
  const open: Open = (options) => {
    const socket = openDirectly(options);
    if (!(socket instanceof Socket)) throw new Error('the agent opened no connection');
    return socket;
  };
  const openVetted: Open = (options) =>
    guard(
      connect(options, () => open(options)),
      allow,
    );
  const isRefused = proxy ? isRefusedTunnelHost : isRefusedHost;
  const tunnel = proxy && tunnelTo(proxy, timeoutMs, agent instanceof https.Agent ? open : null);
  agent.createConnection = (options, done) => {
    const fail = (error: Error) => done && Reflect.apply(done, undefined, [error]);
    if (isRefused(options.host ?? '', allow)) {
      // Thrown here, it would be lost for a call that had waited for its turn.
      process.nextTick(fail, new RefusedAddressError());
      return null;
    }
    if (!tunnel) return openVetted(options);
    tunnel(options)
      .then((socket) => done?.(null, socket))
      .catch(fail);
    return null;
  };
}

/** Opens connections through a proxy, and TLS over them where `secure` is given. */
function tunnelTo(proxy: Proxy, timeoutMs: number, secure: Open | null) {
  return async (options: http.ClientRequestArgs): Promise<Socket> => {
    const startedAt = performance.now();
    const target = { host: options.host ?? '', port: Number(options.port ?? options.defaultPort) };
    const plain = await openTunnel({ proxy, timeoutMs }, target);
    const socket = secure ? secure({ ...options, ...{ socket: plain } }) : plain;
    noteTimes(socket, startedAt, performance.now());
    return socket;
  };
}

/** Looks once more at the address of a new connection, before the first byte is written. */
function guard(socket: Socket, allow: AllowList): Socket {
  // First of all listeners: the others write the request, or the first bytes of TLS.
  socket.prependOnceListener('connect', () => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isForbiddenAddress(remoteAddress, allow)) {
      socket.destroy(new RefusedAddressError());
    }
  });
  noteTimes(socket);
  return socket;
}
