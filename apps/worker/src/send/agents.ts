import http from 'node:http';
import https from 'node:https';
import { Socket } from 'node:net';
import { type AllowList, isForbiddenAddress } from '@ringback/rules';
import type { HttpProxy } from '@ringback/process';
import { recordTimes } from './connection-times.js';
import { checkedLookup } from './checked-lookup.js';
import { cacheLookups, type ResolveHost, resolveName } from './dns-cache.js';
import { openTunnel } from './egress-proxy.js';
import { isForbiddenHost, isForbiddenTunnelHost, ForbiddenAddressError } from './forbidden-address.js';
import { limitIdle } from './idle-connections.js';

/** Opens a connection for an agent. `open` is the agent's own way to do so, which tests replace. */
export type Connect = (options: http.ClientRequestArgs, open: () => Socket) => Socket;

export type AgentSettings = {
  /** The deadline of a whole request. Opening a tunnel through the proxy may take as long. */
  timeoutMs: number;
  allow: AllowList;
  /** All connections go through this HTTP proxy, with CONNECT. The proxy then resolves the names. */
  proxy?: HttpProxy | undefined;
  /** Maximum connections to one host and port. Further requests wait, within their deadline. */
  maxPerHost?: number | undefined;
  /** Maximum idle connections to all hosts together; beyond it, the one that has been idle for longest is closed. */
  maxIdle?: number | undefined;
  /** How long the addresses from a DNS query are cached. */
  dnsTtlMs?: number | undefined;
  resolve?: ResolveHost | undefined;
  connect?: Connect | undefined;
  /** A CA certificate that is trusted instead of the default ones. */
  ca?: string | undefined;
};

export type Agents = { http: http.Agent; https: https.Agent };

export type AgentPool = { agents: Agents; close(): void };

const defaults = { maxPerHost: 256, maxIdle: 256, dnsTtlMs: 10_000 };
// Node's default is 100, but a busy worker has more receivers than that. A TLS session takes about 2 KB.
const maxCachedSessions = 5_000;
const dnsCacheSettings = {
  failureTtlMs: 1_000,
  useLastKnownAfterMs: 500,
  maxStaleMs: 3_600_000,
  maxNames: 10_000,
  now: () => performance.now(),
};

/**
 * Creates agents that connect only to allowed addresses (docs/reference/callbacks.md#addresses) and limit the number of
 * connections. With a proxy, only the hosts in the uris are checked, because the proxy resolves names.
 */
export function createAgents(settings: AgentSettings): AgentPool {
  const { maxPerHost = defaults.maxPerHost, dnsTtlMs = defaults.dnsTtlMs, resolve = resolveName } = settings;
  const lookup = checkedLookup(settings.allow, cacheLookups(resolve, { ...dnsCacheSettings, ttlMs: dnsTtlMs }));
  const options = { lookup, maxSockets: maxPerHost, maxFreeSockets: maxPerHost, keepAlive: true };
  // An explicit `rejectUnauthorized` overrides the environment variable NODE_TLS_REJECT_UNAUTHORIZED.
  const trust = { rejectUnauthorized: true, ...(settings.ca === undefined ? {} : { ca: settings.ca }) };
  const agents = {
    http: new http.Agent(options),
    https: new https.Agent({ ...options, ...trust, maxCachedSessions }),
  };
  const limitIdleConnections = limitIdle(settings.maxIdle ?? defaults.maxIdle);
  const both = [agents.http, agents.https];
  for (const agent of both) {
    openOnlyCheckedConnections(agent, settings);
    limitIdleConnections(agent);
  }
  return { agents, close: () => both.forEach((agent) => agent.destroy()) };
}

type Open = (options: http.ClientRequestArgs) => Socket;

/**
 * Makes an agent check each address before it connects, and again when it is connected. With a proxy, the agent
 * connects through the proxy and checks only the host in the uri.
 */
function openOnlyCheckedConnections(agent: http.Agent, settings: AgentSettings): void {
  const { allow, proxy, connect = (_options, open) => open(), timeoutMs } = settings;
  const openDirectly = agent.createConnection.bind(agent);
  const open: Open = (options) => {
    const socket = openDirectly(options);
    if (!(socket instanceof Socket)) throw new Error('the agent opened no connection');
    return socket;
  };
  const openChecked: Open = (options) =>
    checkWhenConnected(
      connect(options, () => open(options)),
      allow,
    );
  const isRefused = proxy ? isForbiddenTunnelHost : isForbiddenHost;
  const tunnel = proxy && tunnelTo(proxy, timeoutMs, agent instanceof https.Agent ? open : null);
  agent.createConnection = (options, done) => {
    const fail = (error: Error) => done && Reflect.apply(done, undefined, [error]);
    if (isRefused(options.host ?? '', allow)) {
      // An error that is thrown here would not reach a request that has waited for a connection.
      process.nextTick(fail, new ForbiddenAddressError());
      return null;
    }
    if (!tunnel) return openChecked(options);
    tunnel(options)
      .then((socket) => done?.(null, socket))
      .catch(fail);
    return null;
  };
}

/** Creates the function that opens connections through a proxy. With `openTls`, it opens TLS over each of them. */
function tunnelTo(proxy: HttpProxy, timeoutMs: number, openTls: Open | null) {
  return async (options: http.ClientRequestArgs): Promise<Socket> => {
    const startedAtMonotonicMs = performance.now();
    const target = { host: options.host ?? '', port: Number(options.port ?? options.defaultPort) };
    const plain = await openTunnel({ proxy, timeoutMs }, target);
    // Node's types of the options lack `socket`.
    const tlsOptions = { ...options, socket: plain };
    const socket = openTls ? openTls(tlsOptions) : plain;
    recordTimes(socket, startedAtMonotonicMs, performance.now());
    return socket;
  };
}

/** Makes a new connection check its address when it is connected, before the first byte is written. */
function checkWhenConnected(socket: Socket, allow: AllowList): Socket {
  // This must be the first listener, because the others write the request or start TLS.
  socket.prependOnceListener('connect', () => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isForbiddenAddress(remoteAddress, allow)) {
      socket.destroy(new ForbiddenAddressError());
    }
  });
  recordTimes(socket);
  return socket;
}
