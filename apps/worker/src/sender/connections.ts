import http from 'node:http';
import https from 'node:https';
import { isIP, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type AllowList,
  allowedAddresses,
  isForbiddenAddress,
  isForbiddenHost,
  isForbiddenTunnelHost,
} from '@ringback/rules';
import { type Dial, Dialler, ForbiddenAddressError } from './dial.js';
import { cacheLookups, type ResolvedAddress, type ResolveHost, resolveName } from './dns-cache.js';
import type { EgressProxy } from './egress-proxy.js';
import { IdleConnections, maxIdleMs } from './idle-connections.js';
import { trustAlso } from './trust.js';

export type AgentSettings = {
  /** The deadline of a whole request. Connecting to a name, or opening a tunnel through the proxy, may take as long. */
  timeoutMs: number;
  allow: AllowList;
  /** Connections go through this proxy, but for its exceptions. The proxy then resolves the names. */
  proxy?: EgressProxy | undefined;
  /**
   * Maximum connections to one host and port, otherwise unlimited. Further requests wait, within their deadline.
   * Connections to a name count from when they are open.
   */
  maxPerHost?: number | undefined;
  /** Maximum idle connections to all hosts together; beyond it, the one that has been idle for longest is closed. */
  maxIdle?: number | undefined;
  /** No request starts on a connection that was opened longer ago. */
  maxAgeMs?: number | undefined;
  /** How long the addresses from a DNS query are cached. */
  dnsTtlMs?: number | undefined;
  resolve?: ResolveHost | undefined;
  dial?: Dial | undefined;
  /** A CA certificate that is trusted for all requests, beside the default ones. */
  ca?: string | undefined;
  /** What `NODE_EXTRA_CA_CERTS` names: CA certificates that Node trusts beside the public ones, in PEM. */
  operatorCa?: string | null | undefined;
};

const defaults = { maxIdle: 256, maxAgeMs: 60_000, dnsTtlMs: 10_000 };
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
 * Node's agents, which connect only to allowed addresses (docs/reference/callbacks.md, Addresses) and limit the number
 * of connections. With a proxy, only the hosts in the uris are checked, because the proxy resolves names.
 */
export class Agents {
  readonly http: http.Agent;
  readonly https: https.Agent;
  readonly idle: IdleConnections;
  readonly #dialler: Dialler;

  constructor(settings: AgentSettings) {
    const { maxPerHost = Infinity, maxIdle = defaults.maxIdle, maxAgeMs = defaults.maxAgeMs } = settings;
    const { dial = (_address, open) => open(), resolve = resolveName, dnsTtlMs: ttlMs = defaults.dnsTtlMs } = settings;
    const limits = { maxSockets: maxPerHost, maxFreeSockets: maxIdle, keepAlive: true, timeout: maxIdleMs };
    // An explicit `rejectUnauthorized` overrides the environment variable NODE_TLS_REJECT_UNAUTHORIZED.
    const trust = { rejectUnauthorized: true, ...(settings.ca === undefined ? {} : { ca: settings.ca }) };
    this.http = new http.Agent(limits);
    this.https = new https.Agent({ ...limits, ...trust, maxCachedSessions });
    this.idle = new IdleConnections({ maxIdle, maxAgeMs });
    this.#dialler = new Dialler({ ...settings, dial });
    const lookUp = cacheLookups(resolve, { ...dnsCacheSettings, ttlMs });
    for (const agent of [this.http, this.https]) {
      const connector = new Connector(agent, { ...settings, dial, lookUp, dialler: this.#dialler, idle: this.idle });
      agent.createConnection = (options, done) => connector.connect(options, done);
    }
  }

  close(): void {
    this.http.destroy();
    this.https.destroy();
    this.#dialler.close();
  }
}

type CreateConnection = http.Agent['createConnection'];
type Done = Parameters<CreateConnection>[1];
/** The options of a request that `startRequest` started, for the agent. */
type ConnectOptions = http.ClientRequestArgs & { phases?: Phases; isEnded?: () => boolean };

type ConnectorDeps = Pick<AgentSettings, 'allow' | 'proxy' | 'operatorCa'> & {
  dial: Dial;
  dialler: Dialler;
  lookUp: ResolveHost;
  idle: IdleConnections;
};

class NoAddressError extends Error {
  override readonly name = 'NoAddressError';
  readonly code = 'ENOTFOUND';
}

class EndedRequestError extends Error {
  override readonly name = 'EndedRequestError';
  readonly code = 'ETIMEDOUT';
}

/**
 * The options of a connection that trust their `ca` beside the default authorities. The agent has the `ca` in the names
 * under which it keeps connections and TLS sessions, so neither is used for a request with another one.
 */
function withTrust(options: http.ClientRequestArgs, operatorCa: string): http.ClientRequestArgs {
  const ca: unknown = Reflect.get(options, 'ca');
  if (typeof ca !== 'string') return options;
  return Object.assign({}, options, { secureContext: trustAlso(`${operatorCa}\n${ca}`) });
}

/** Opens the connections of an agent. */
class Connector {
  readonly #deps: ConnectorDeps;
  readonly #isTls: boolean;
  readonly #openUsually: CreateConnection;

  constructor(agent: http.Agent, deps: ConnectorDeps) {
    this.#deps = deps;
    this.#isTls = agent instanceof https.Agent;
    this.#openUsually = agent.createConnection.bind(agent);
  }

  /**
   * Opens a connection for a request of the agent. Each address is checked before it connects, and again when it is
   * connected. With a proxy, it connects through the proxy and checks only the host in the uri. Returns a connection to
   * an address; one to a name, or through a proxy, goes to `done`.
   */
  connect(options: ConnectOptions, done: Done): Socket | null {
    const { phases = {} } = options;
    const host = options.host ?? '';
    const fail = (error: unknown) => done && Reflect.apply(done, undefined, [error]);
    phases.startedAtMonotonicMs = performance.now();
    const proxy = this.#proxyFor(options);
    if ((proxy ? isForbiddenTunnelHost : isForbiddenHost)(host, this.#deps.allow)) {
      // An error that is thrown here would not reach a request that has waited for a connection.
      process.nextTick(fail, new ForbiddenAddressError());
      return null;
    }
    if (!proxy && isIP(host) !== 0) return this.#connectToAddress(host, options, phases);
    const connected = proxy ? this.#connectThrough(proxy, options) : this.#connectToName(options, phases);
    connected
      .then((plain) => done?.(null, this.#secure(plain, options, { phases, isProxied: proxy !== undefined })))
      .catch(fail);
    return null;
  }

  /** Opens TLS on a connection, unless the agent is that of http. Throws if the request has ended meanwhile. */
  #secure(
    plain: Socket,
    options: ConnectOptions,
    { phases, isProxied }: { phases: Phases; isProxied: boolean },
  ): Socket {
    // The agent would keep the connection, although nothing was ever sent on it.
    if (options.isEnded?.()) {
      plain.destroy();
      throw new EndedRequestError('the request has ended');
    }
    phases.connectedAtMonotonicMs = performance.now();
    // Node's types of the options lack `socket`.
    const socket = this.#isTls ? this.#open({ ...options, socket: plain }) : plain;
    socket.once('secureConnect', () => (phases.securedAtMonotonicMs = performance.now()));
    if (isProxied) proxied.add(socket);
    this.#watch(socket, options);
    return socket;
  }

  #open(options: object): Socket {
    const socket = this.#openUsually(withTrust(options, this.#deps.operatorCa ?? ''));
    if (!(socket instanceof Socket)) throw new Error('the agent opened no connection');
    return socket;
  }

  #watch(socket: Socket, { host, port }: ConnectOptions): void {
    this.#deps.idle.watch(socket, `${this.#isTls ? 'https' : 'http'}://${host ?? ''}:${port ?? ''}`);
  }

  /** Connects to an address that the uri names. */
  #connectToAddress(address: string, options: ConnectOptions, phases: Phases): Socket {
    const socket = this.#deps.dial(address, () => this.#open(options));
    // This must be the first listener, because the others write the request or start TLS.
    socket.prependOnceListener('connect', () => {
      const { remoteAddress } = socket;
      phases.connectedAtMonotonicMs = performance.now();
      if (remoteAddress === undefined || isForbiddenAddress(remoteAddress, this.#deps.allow)) {
        socket.destroy(new ForbiddenAddressError());
      }
    });
    socket.once('secureConnect', () => (phases.securedAtMonotonicMs = performance.now()));
    this.#watch(socket, options);
    return socket;
  }

  async #connectToName(options: ConnectOptions, phases: Phases): Promise<Socket> {
    const target = targetOf(options);
    const found = await this.#deps.lookUp(target.hostname);
    phases.resolvedAtMonotonicMs = performance.now();
    const addresses = this.#checkAddresses(target.hostname, found);
    return this.#deps.dialler.connect({ ...target, addresses });
  }

  /** Connections go to exactly the addresses that were checked, so a second query cannot replace them. */
  #checkAddresses(hostname: string, found: ResolvedAddress[]): ResolvedAddress[] {
    if (found.length === 0) throw new NoAddressError('no address');
    const allowed = allowedAddresses(hostname, found, this.#deps.allow);
    if (allowed.length === 0) throw new ForbiddenAddressError();
    return allowed;
  }

  #proxyFor(options: ConnectOptions): EgressProxy | undefined {
    const { proxy } = this.#deps;
    const { hostname, port } = targetOf(options);
    return proxy?.isUsedFor(hostname, port) ? proxy : undefined;
  }

  async #connectThrough(proxy: EgressProxy, options: ConnectOptions): Promise<Socket> {
    const { hostname: host, port } = targetOf(options);
    const isForwarded = !this.#isTls && proxy.forwardsHttp;
    return isForwarded ? proxy.connect() : proxy.openTunnel({ host, port });
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

export type OutgoingRequest = {
  /** Without a user and password, which the headers have. */
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  /** CA certificates in PEM that are trusted for this request, beside the default ones. */
  ca?: string | null;
};

/** The headers of a response may have 64 KiB in all. Of larger ones, only the status counts. */
const maxHeaderSize = 64 * 1024;

/**
 * Starts the request of a callback. It is what the attempt shows: the target of the url, and the names of the headers
 * in their own case, which got would send in lower case. `Host` and SNI never end with a dot, which many servers do not
 * know. The phases are recorded from the start, also while there is no connection yet: Node hands the options of a
 * request on to the agent that connects.
 */
export function startRequest(
  url: URL,
  { headers, body, ca }: OutgoingRequest,
  { agents, proxy }: { agents: Agents; proxy: EgressProxy | undefined },
): http.ClientRequest {
  const { href, hostname } = url;
  const isHttps = url.protocol === 'https:';
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  const [path = ''] = href.slice(href.indexOf('/', url.protocol.length + 2)).split('#', 1);
  // Node sends an array as it is. Of an object it would build a map of the headers first.
  const sentHeaders = ['Host', url.port === '' ? name : `${name}:${url.port}`];
  for (const header in headers) sentHeaders.push(header, headers[header] ?? '');
  // Without it, the body would be sent in chunks.
  if (!headers['Content-Length']) sentHeaders.push('Content-Length', String(body.byteLength));
  const port = Number(url.port || (isHttps ? 443 : 80));
  const forwarder = !isHttps && proxy?.forwardsHttp && proxy.isUsedFor(host, port) ? proxy : undefined;
  if (forwarder) sentHeaders.push(...forwarder.requestHeaders());
  // A proxy gets the whole url.
  const target = forwarder ? `http://${sentHeaders[1]}${path}` : path;
  const phases: Phases = {};
  const isEnded = () => request.destroyed;
  const options = { method: 'POST', host, port, path: target, headers: sentHeaders, maxHeaderSize, phases, isEnded };
  // An address is no name for SNI.
  const servername = isIP(host) === 0 ? name : '';
  const request: http.ClientRequest = isHttps
    ? https.request({ ...options, agent: agents.https, servername, ...(typeof ca === 'string' ? { ca } : {}) })
    : http.request({ ...options, agent: agents.http });
  phasesOf.set(request, phases);
  forwarder?.follow(request);
  return request;
}

/** Whether no connection was opened for the request, which waits for a free one. */
export const waitsForConnection = (request: http.ClientRequest): boolean =>
  !request.reusedSocket && phasesOf.get(request)?.startedAtMonotonicMs === undefined;

// Connections through a proxy.
const proxied = new WeakSet<Duplex>();

/** Whether the connection of a request goes through the proxy. */
export const usesProxy = ({ socket }: http.ClientRequest): boolean => socket !== null && proxied.has(socket);

/** The receiver's IP address; null without a connection, and when a proxy is used. */
export function remoteAddressOf(request: http.ClientRequest | undefined): string | null {
  const socket = request?.socket;
  return (socket && !proxied.has(socket) && socket.remoteAddress) || null;
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
