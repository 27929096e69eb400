import http from 'node:http';
import https from 'node:https';
import { isIP, Socket } from 'node:net';
import {
  type AllowList,
  allowedAddresses,
  isForbiddenAddress,
  isForbiddenHost,
  isForbiddenTunnelHost,
} from '@ringback/rules';
import type { HttpProxy } from '@ringback/process';
import { type Dial, Dialler, ForbiddenAddressError } from './dial.js';
import { cacheLookups, type ResolvedAddress, type ResolveHost, resolveName } from './dns-cache.js';
import { openTunnel } from './egress-proxy.js';
import { IdleConnections, maxIdleMs } from './idle-connections.js';

export type AgentSettings = {
  /** The deadline of a whole request. Connecting to a name, or opening a tunnel through the proxy, may take as long. */
  timeoutMs: number;
  allow: AllowList;
  /** All connections go through this HTTP proxy, with CONNECT. The proxy then resolves the names. */
  proxy?: HttpProxy | undefined;
  /**
   * Maximum connections to one host and port. Further requests wait, within their deadline. Connections to a name count
   * from when they are open.
   */
  maxPerHost?: number | undefined;
  /** Maximum idle connections to all hosts together; beyond it, the one that has been idle for longest is closed. */
  maxIdle?: number | undefined;
  /** How long the addresses from a DNS query are cached. */
  dnsTtlMs?: number | undefined;
  resolve?: ResolveHost | undefined;
  dial?: Dial | undefined;
  /** A CA certificate that is trusted instead of the default ones. */
  ca?: string | undefined;
};

export type Agents = { http: http.Agent; https: https.Agent };

export type AgentPool = { agents: Agents; idle: IdleConnections; close(): void };

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
 * Creates agents that connect only to allowed addresses (docs/reference/callbacks.md, Addresses) and limit the number
 * of connections. With a proxy, only the hosts in the uris are checked, because the proxy resolves names.
 */
export function createAgents(settings: AgentSettings): AgentPool {
  const { maxPerHost = defaults.maxPerHost, dial = (_address, open) => open() } = settings;
  const limits = { maxSockets: maxPerHost, maxFreeSockets: maxPerHost, keepAlive: true, timeout: maxIdleMs };
  // An explicit `rejectUnauthorized` overrides the environment variable NODE_TLS_REJECT_UNAUTHORIZED.
  const trust = { rejectUnauthorized: true, ...(settings.ca === undefined ? {} : { ca: settings.ca }) };
  const agents = {
    http: new http.Agent(limits),
    https: new https.Agent({ ...limits, ...trust, maxCachedSessions }),
  };
  const idle = new IdleConnections(settings.maxIdle ?? defaults.maxIdle);
  const dialler = new Dialler({ ...settings, dial });
  const connector = new Connector(settings, { dial, dialler, idle });
  const both = [agents.http, agents.https];
  for (const agent of both) agent.createConnection = connector.createConnectionOf(agent);
  const close = () => {
    for (const agent of both) agent.destroy();
    dialler.close();
  };
  return { agents, idle, close };
}

type CreateConnection = http.Agent['createConnection'];
type Open = (options: object) => Socket;
/** The options of a request that `startRequest` started, for the agent. */
type ConnectOptions = http.ClientRequestArgs & { phases?: Phases; isEnded?: () => boolean };

type ConnectorDeps = { dial: Dial; dialler: Dialler; idle: IdleConnections };

class NoAddressError extends Error {
  override readonly name = 'NoAddressError';
  readonly code = 'ENOTFOUND';
}

class EndedRequestError extends Error {
  override readonly name = 'EndedRequestError';
  readonly code = 'ETIMEDOUT';
}

/** Opens the connections of agents. */
class Connector {
  readonly #settings: AgentSettings;
  readonly #deps: ConnectorDeps;
  readonly #resolve: ResolveHost;

  constructor(settings: AgentSettings, deps: ConnectorDeps) {
    this.#settings = settings;
    this.#deps = deps;
    const { resolve = resolveName, dnsTtlMs: ttlMs = defaults.dnsTtlMs } = settings;
    this.#resolve = cacheLookups(resolve, { ...dnsCacheSettings, ttlMs });
  }

  /**
   * Returns how an agent opens connections: it checks each address before it connects, and again when it is connected.
   * With a proxy, it connects through the proxy and checks only the host in the uri.
   */
  createConnectionOf(agent: http.Agent): CreateConnection {
    const { allow, proxy } = this.#settings;
    const isTls = agent instanceof https.Agent;
    const isRefused = proxy ? isForbiddenTunnelHost : isForbiddenHost;
    const openUsually = agent.createConnection.bind(agent);
    const open: Open = (options) => {
      const socket = openUsually(options);
      if (!(socket instanceof Socket)) throw new Error('the agent opened no connection');
      return socket;
    };
    return (options: ConnectOptions, done) => {
      const fail = (error: unknown) => done && Reflect.apply(done, undefined, [error]);
      const { phases = {}, isEnded = () => false } = options;
      const host = options.host ?? '';
      phases.startedAtMonotonicMs = performance.now();
      if (isRefused(host, allow)) {
        // An error that is thrown here would not reach a request that has waited for a connection.
        process.nextTick(fail, new ForbiddenAddressError());
        return null;
      }
      if (!proxy && isIP(host) !== 0) return this.#connectToAddress(host, () => open(options), phases);
      const connected = proxy ? this.#openTunnel(proxy, options) : this.#connectToName(options, phases);
      connected
        .then((plain) => {
          // The agent would keep the connection, although nothing was ever sent on it.
          if (isEnded()) {
            plain.destroy();
            return void fail(new EndedRequestError('the request has ended'));
          }
          phases.connectedAtMonotonicMs = performance.now();
          // Node's types of the options lack `socket`.
          const socket = isTls ? open({ ...options, socket: plain }) : plain;
          socket.once('secureConnect', () => (phases.securedAtMonotonicMs = performance.now()));
          this.#deps.idle.watch(socket);
          done?.(null, socket);
        })
        .catch(fail);
      return null;
    };
  }

  /** Connects to an address that the uri names. */
  #connectToAddress(address: string, open: () => Socket, phases: Phases): Socket {
    const socket = this.#deps.dial(address, open);
    // This must be the first listener, because the others write the request or start TLS.
    socket.prependOnceListener('connect', () => {
      const { remoteAddress } = socket;
      phases.connectedAtMonotonicMs = performance.now();
      if (remoteAddress === undefined || isForbiddenAddress(remoteAddress, this.#settings.allow)) {
        socket.destroy(new ForbiddenAddressError());
      }
    });
    socket.once('secureConnect', () => (phases.securedAtMonotonicMs = performance.now()));
    this.#deps.idle.watch(socket);
    return socket;
  }

  async #connectToName(options: ConnectOptions, phases: Phases): Promise<Socket> {
    const target = targetOf(options);
    const found = await this.#resolve(target.hostname);
    phases.resolvedAtMonotonicMs = performance.now();
    const addresses = this.#checkAddresses(target.hostname, found);
    return this.#deps.dialler.connect({ ...target, addresses });
  }

  /** Connections go to exactly the addresses that were checked, so a second query cannot replace them. */
  #checkAddresses(hostname: string, found: ResolvedAddress[]): ResolvedAddress[] {
    if (found.length === 0) throw new NoAddressError('no address');
    const allowed = allowedAddresses(hostname, found, this.#settings.allow);
    if (allowed.length === 0) throw new ForbiddenAddressError();
    return allowed;
  }

  #openTunnel(proxy: HttpProxy, options: ConnectOptions): Promise<Socket> {
    const { hostname: host, port } = targetOf(options);
    return openTunnel({ proxy, timeoutMs: this.#settings.timeoutMs }, { host, port });
  }
}

const targetOf = ({ host, port, defaultPort }: ConnectOptions) => ({
  hostname: host ?? '',
  port: Number(port ?? defaultPort),
});

/**
 * The duration of each phase of a request. Null when the phase did not end, or was not needed: an address needs no DNS,
 * http no TLS, a reused connection only the first byte. With a proxy, `connectMs` includes opening the tunnel.
 */
export type Timings = {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
};

/** When the connection of a request was started, and when its phases ended. Empty for a reused connection. */
type Phases = {
  startedAtMonotonicMs?: number;
  resolvedAtMonotonicMs?: number;
  connectedAtMonotonicMs?: number;
  securedAtMonotonicMs?: number;
};

const phasesOf = new WeakMap<http.ClientRequest, Phases>();

/**
 * Starts a request whose phases are recorded from its start, also while it has no connection yet. Node hands the options
 * of a request on to the agent that connects.
 */
export function startRequest(
  url: URL,
  options: http.RequestOptions,
  onResponse?: (response: http.IncomingMessage) => void,
): http.ClientRequest {
  const phases: Phases = {};
  const start = url.protocol === 'https:' ? https.request : http.request;
  const request: http.ClientRequest = start(
    url,
    Object.assign(options, { phases, isEnded: () => request.destroyed }),
    onResponse,
  );
  phasesOf.set(request, phases);
  return request;
}

const noTimings: Timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };
const between = (from: number | undefined, to: number | undefined) =>
  from === undefined || to === undefined ? null : Math.round(to - from);

/**
 * The timings of a request that started at `startedAtMonotonicMs`; the response's headers arrived at
 * `respondedAtMonotonicMs`.
 */
export function timingsOf(
  request: http.ClientRequest | undefined,
  startedAtMonotonicMs: number,
  respondedAtMonotonicMs?: number,
): Timings {
  const times = request && phasesOf.get(request);
  if (!times) return noTimings;
  if (request.reusedSocket) return { ...noTimings, firstByteMs: between(startedAtMonotonicMs, respondedAtMonotonicMs) };
  const { resolvedAtMonotonicMs, connectedAtMonotonicMs, securedAtMonotonicMs } = times;
  return {
    dnsMs: between(times.startedAtMonotonicMs, resolvedAtMonotonicMs),
    connectMs: between(resolvedAtMonotonicMs ?? times.startedAtMonotonicMs, connectedAtMonotonicMs),
    tlsMs: between(connectedAtMonotonicMs, securedAtMonotonicMs),
    firstByteMs: between(securedAtMonotonicMs ?? connectedAtMonotonicMs, respondedAtMonotonicMs),
  };
}
