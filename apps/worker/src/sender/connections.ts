import http from 'node:http';
import https from 'node:https';
import { isIP, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type AllowList, isForbiddenAddress } from '@ringback/rules';
import type { HttpProxy } from '@ringback/process';
import { cacheLookups, type ResolveHost, resolveName } from './dns-cache.js';
import { openTunnel } from './egress-proxy.js';
import { checkedLookup, ForbiddenAddressError, isForbiddenHost, isForbiddenTunnelHost } from './egress.js';

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
  const { maxPerHost = defaults.maxPerHost, dnsTtlMs = defaults.dnsTtlMs, resolve = resolveName } = settings;
  const lookup = checkedLookup(settings.allow, cacheLookups(resolve, { ...dnsCacheSettings, ttlMs: dnsTtlMs }));
  const limits = { maxSockets: maxPerHost, maxFreeSockets: maxPerHost, keepAlive: true, timeout: maxIdleMs };
  // An explicit `rejectUnauthorized` overrides the environment variable NODE_TLS_REJECT_UNAUTHORIZED.
  const trust = { rejectUnauthorized: true, ...(settings.ca === undefined ? {} : { ca: settings.ca }) };
  const agents = {
    http: new http.Agent({ ...limits, lookup }),
    https: new https.Agent({ ...limits, lookup, ...trust, maxCachedSessions }),
  };
  const idle = new IdleConnections(settings.maxIdle ?? defaults.maxIdle);
  const both = [agents.http, agents.https];
  for (const agent of both) agent.createConnection = connectChecked(agent, settings, idle);
  return { agents, idle, close: () => both.forEach((agent) => agent.destroy()) };
}

type CreateConnection = http.Agent['createConnection'];
type Open = (options: http.ClientRequestArgs) => Socket;

/**
 * Returns how an agent opens connections: it checks each address before it connects, and again when it is connected.
 * With a proxy, it connects through the proxy and checks only the host in the uri.
 */
function connectChecked(agent: http.Agent, settings: AgentSettings, idle: IdleConnections): CreateConnection {
  const { allow, proxy, connect = (_options, open) => open(), timeoutMs } = settings;
  const openDirectly = agent.createConnection.bind(agent);
  const open: Open = (options) => {
    const socket = openDirectly(options);
    if (!(socket instanceof Socket)) throw new Error('the agent opened no connection');
    return socket;
  };
  const isRefused = proxy ? isForbiddenTunnelHost : isForbiddenHost;
  const tunnel = proxy && tunnelTo(proxy, timeoutMs, agent instanceof https.Agent ? open : null);
  return (options, done) => {
    const fail = (error: Error) => done && Reflect.apply(done, undefined, [error]);
    if (isRefused(options.host ?? '', allow)) {
      // An error that is thrown here would not reach a request that has waited for a connection.
      process.nextTick(fail, new ForbiddenAddressError());
      return null;
    }
    if (!tunnel) {
      const socket = connect(options, () => open(options));
      checkWhenConnected(socket, allow);
      recordTimes(socket);
      idle.watch(socket);
      return socket;
    }
    tunnel(options)
      .then((socket) => {
        idle.watch(socket);
        done?.(null, socket);
      })
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
function checkWhenConnected(socket: Socket, allow: AllowList): void {
  // This must be the first listener, because the others write the request or start TLS.
  socket.prependOnceListener('connect', () => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isForbiddenAddress(remoteAddress, allow)) {
      socket.destroy(new ForbiddenAddressError());
    }
  });
}

export type OutgoingRequest = { url: string; headers: Record<string, string>; body: Buffer };

/** The headers of a response may have 64 KiB in all. Of larger ones, only the status counts. */
const maxHeaderSize = 64 * 1024;

/**
 * Opens the request of a callback. It is what the attempt shows: the target of the url, and the names of the headers in
 * their own case, which got would send in lower case. `Host` and SNI never end with a dot, which many servers do not
 * know.
 */
export function openRequest(url: URL, { headers, body }: OutgoingRequest, agents: Agents): http.ClientRequest {
  const { href, hostname, port } = url;
  const isHttps = url.protocol === 'https:';
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  const [target = ''] = href.slice(href.indexOf('/', url.protocol.length + 2)).split('#', 1);
  // Node sends an array as it is. For an object it would build a map of the headers first.
  const sentHeaders = ['Host', port === '' ? name : `${name}:${port}`];
  for (const header in headers) sentHeaders.push(header, headers[header] ?? '');
  // Without it, the body would be sent in chunks.
  if (!headers['Content-Length']) sentHeaders.push('Content-Length', String(body.byteLength));
  const options = { method: 'POST', host, path: target, headers: sentHeaders, maxHeaderSize };
  if (!isHttps) return http.request({ ...options, port: port || 80, agent: agents.http });
  // An address is no name for SNI.
  const servername = isIP(host) === 0 ? name : '';
  return https.request({ ...options, port: port || 443, agent: agents.https, servername });
}

const maxHeadBytes = 8 * 1024;

// Of the connections on which a response arrives.
const heads = new WeakMap<Socket, Buffer>();

/** Keeps the first bytes of the response that a connection receives, until the response ends (`forgetHead`). */
function keepHead(socket: Socket, chunk: Buffer): void {
  const head = heads.get(socket);
  if (!head) heads.set(socket, chunk);
  else if (head.length < maxHeadBytes) heads.set(socket, Buffer.concat([head, chunk]));
}

const forgetHead = (socket: Socket): unknown => heads.delete(socket);

const interimResponse = /^HTTP\/1\.[01] 1\d\d[^]*?\r\n\r\n/;

/** The status of a response whose headers were too large for Node's parser; null if it is not in the first bytes. */
export function readHeadStatus(socket: Socket): number | null {
  let text = heads.get(socket)?.toString('latin1') ?? '';
  while (interimResponse.test(text)) text = text.replace(interimResponse, '');
  const status = /^HTTP\/1\.[01] ([2-9]\d\d)\b/.exec(text)?.[1];
  return status === undefined ? null : Number(status);
}

const defaultIdleMs = 1_000;
const maxIdleMs = 60_000;

/**
 * For how long an idle connection may be reused: half of the receiver's `Keep-Alive: timeout=`, at most 60 s; 1 s
 * without this timeout. A request on a connection that the receiver is just closing would fail and use up an attempt.
 */
export function idleLimitMs(keepAlive: string): number {
  const timeoutSeconds = /(?:^|[\s,;])timeout\s*=\s*"?(\d+)/i.exec(keepAlive)?.[1];
  return timeoutSeconds === undefined ? defaultIdleMs : Math.min(Number(timeoutSeconds) * 500, maxIdleMs);
}

/**
 * The idle connections of all agents. One is closed when its limit (`idleLimitMs`) has passed, or when bytes arrive on
 * it. When there are `maxIdle`, a further one closes the one that has been idle for longest.
 */
export class IdleConnections {
  // In the order in which they became idle.
  readonly #sockets = new Set<Socket>();

  constructor(readonly maxIdle: number) {}

  watch(socket: Socket): void {
    socket.once('close', () => this.#sockets.delete(socket));
    socket.prependListener('data', (chunk: Buffer) => {
      // The client removes its listener when a response is complete, so bytes that arrive later belong to no request.
      if (socket.listenerCount('data') === 1) socket.destroy();
      else keepHead(socket, chunk);
    });
  }

  /** Follows a request, before and after which its connection is idle. */
  follow(request: http.ClientRequest): void {
    request.once('socket', (socket: Socket) => {
      this.#sockets.delete(socket);
      socket.setTimeout(0);
    });
    request.once('response', (response) => {
      // At its end, a response no longer has its socket.
      const { socket } = response;
      response.once('end', () => {
        forgetHead(socket);
        this.#add(socket, response.headers);
      });
    });
  }

  #add(socket: Socket, headers: http.IncomingHttpHeaders): void {
    const limitMs = idleLimitMs(String(headers['keep-alive'] ?? ''));
    if (limitMs === 0) return void socket.destroy();
    const [oldest] = this.#sockets.size >= this.maxIdle ? this.#sockets : [];
    oldest?.destroy();
    if (oldest) this.#sockets.delete(oldest);
    this.#sockets.add(socket);
    // Only now does the agent keep the connection, with its own timeout. It closes an idle connection that times out.
    setImmediate(() => this.#sockets.has(socket) && socket.setTimeout(limitMs));
  }
}

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

/** When a connection was started, and when its phases ended. */
type PhaseEnds = {
  startedAtMonotonicMs: number;
  resolvedAtMonotonicMs?: number;
  connectedAtMonotonicMs?: number;
  securedAtMonotonicMs?: number;
};

// One entry for each connection, so a request on a reused connection costs nothing here.
const phaseEnds = new WeakMap<Duplex, PhaseEnds>();

/**
 * Records when a new connection reaches each phase. `connectedAtMonotonicMs` is given for a connection that is already
 * open.
 */
function recordTimes(socket: Duplex, startedAtMonotonicMs = performance.now(), connectedAtMonotonicMs?: number): void {
  const times: PhaseEnds =
    connectedAtMonotonicMs === undefined ? { startedAtMonotonicMs } : { startedAtMonotonicMs, connectedAtMonotonicMs };
  phaseEnds.set(socket, times);
  socket.once('lookup', () => (times.resolvedAtMonotonicMs = performance.now()));
  socket.once('connect', () => (times.connectedAtMonotonicMs = performance.now()));
  socket.once('secureConnect', () => (times.securedAtMonotonicMs = performance.now()));
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
  const times = request?.socket && phaseEnds.get(request.socket);
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
