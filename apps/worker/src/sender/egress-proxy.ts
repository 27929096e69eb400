import http from 'node:http';
import net, { type Socket } from 'node:net';
import tls from 'node:tls';
import { type EgressProxySettings, type Logger, setBounded } from '@ringback/process';
import type { Outcome } from '@ringback/rules';

/**
 * The proxy failed, not the receiver: no attempt is used. The code is `PROXY_UNREACHABLE`, `PROXY_HANGS`,
 * `PROXY_CLOSES`, or `PROXY_<status>`.
 */
class ProxyFailureError extends Error {
  override readonly name = 'ProxyFailureError';
  constructor(
    readonly code: string,
    options?: ErrorOptions,
  ) {
    super(`the proxy failed (${code})`, options);
  }
}

/** The proxy works, but opened no tunnel to the receiver. The code is `PROXY_DENIED`, `PROXY_CLOSED` or its status. */
class TunnelError extends Error {
  override readonly name = 'TunnelError';
  constructor(readonly code: string) {
    super('the proxy opened no tunnel');
  }
}

export type EgressProxyOptions = EgressProxySettings & {
  /** The deadline of a whole request. */
  timeoutMs: number;
  log: Pick<Logger, 'warn' | 'error'>;
  ca?: string | undefined;
  now?: () => number;
};

/** What the proxy does with a request that makes no sense: it answers, or fails with this code. */
type Liveness = 'answers' | 'PROXY_UNREACHABLE' | 'PROXY_HANGS' | 'PROXY_CLOSES';

/** How the proxy's own response is to be understood: the proxy failed, or it could not reach the receiver. */
type ProxyVerdict = { isProxyFailure: boolean; code: string };

const failingMs = 60_000;
const logEveryMs = 60_000;
const livenessMs = 1_000;
// A host whose responses say for this long that the proxy fails, while others get through it, says so itself.
const maxDoubtMs = 300_000;
const maxDoubtfulHosts = 1_000;

/** The proxy through which callbacks go (`EGRESS_PROXY`), and how it is. */
export class EgressProxy {
  readonly #options: EgressProxyOptions;
  /** The requests that the proxy forwards, whose responses may be its own. */
  readonly #forwarded = new WeakSet<http.ClientRequest>();
  readonly #now: () => number;
  #failure: { code: string; untilMonotonicMs: number } | undefined;
  /** When the proxy last got a request through to its receiver. */
  #workedAtMonotonicMs = -Infinity;
  /** The hosts whose forwarded responses said that the proxy fails, and the first and last time of each. */
  readonly #doubtful = new Map<string, { firstMonotonicMs: number; lastMonotonicMs: number }>();
  #loggedAtMonotonicMs = -Infinity;
  #liveness: Promise<Liveness> | undefined;

  constructor(options: EgressProxyOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Whether requests to a host go through the proxy. */
  isUsedFor(hostname: string, port: number): boolean {
    return !this.#options.isExcepted(hostname, port);
  }

  /** Whether the proxy forwards http requests itself (absolute-form), instead of opening tunnels for them. */
  get forwardsHttp(): boolean {
    return this.#options.http === 'forward';
  }

  /** Why the proxy is not usable; null if it is. A failure counts for a minute, or until the proxy works again. */
  reason(): string | null {
    if (!this.#failure || this.#now() > this.#failure.untilMonotonicMs) return null;
    return `EGRESS_PROXY fails (${this.#failure.code}): no callbacks are sent, and no attempts are used`;
  }

  /** Opens a connection to the proxy itself, for requests that it forwards. Rejects when it cannot be reached. */
  connect(): Promise<Socket> {
    const { url, timeoutMs, ca } = this.#options;
    const { host, port } = url;
    const options = { host, port, noDelay: true, keepAlive: true };
    const servername = net.isIP(host) === 0 ? { servername: host } : {};
    return new Promise((resolve, reject) => {
      const socket = url.isTls
        ? tls.connect({ ...options, ...servername, rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) })
        : net.connect(options);
      // Ends before the deadline of the whole request, which would count as the receiver's timeout.
      const deadline = setTimeout(() => socket.destroy(new Error('no connection in time')), timeoutMs / 2);
      const onError = (cause: Error) => {
        clearTimeout(deadline);
        reject(this.#fail('PROXY_UNREACHABLE', cause));
      };
      socket.once('error', onError);
      socket.once(url.isTls ? 'secureConnect' : 'connect', () => {
        clearTimeout(deadline);
        socket.off('error', onError);
        resolve(socket);
      });
    });
  }

  /** Opens a connection to the target through the proxy with CONNECT. Rejects with one of the errors above. */
  async openTunnel(target: { host: string; port: number }): Promise<Socket> {
    const plain = await this.connect();
    const path = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
    const headers = { ...this.#options.url.headers, Host: path };
    return new Promise((resolve, reject) => {
      const request = http.request({ method: 'CONNECT', path, headers, createConnection: () => plain });
      const stopWatching = this.#watch((error) => request.destroy(error));
      const deadline = setTimeout(() => request.destroy(), this.#options.timeoutMs);
      request.once('close', () => {
        clearTimeout(deadline);
        stopWatching();
      });
      // For CONNECT, Node emits `connect` for a response with any status.
      request.once('connect', ({ statusCode = 0, headers: received }, socket: Socket, head: Buffer) => {
        clearTimeout(deadline);
        stopWatching();
        if (statusCode >= 200 && statusCode <= 299 && head.length === 0) {
          this.#reportWorking();
          return resolve(socket);
        }
        socket.destroy();
        request.destroy();
        const { isProxyFailure, code } = judgeProxyResponse(statusCode, received, { isTunnel: true }) ?? {
          isProxyFailure: false,
          code: `PROXY_${statusCode}`,
        };
        reject(isProxyFailure ? this.#fail(code) : new TunnelError(code));
      });
      request.once('error', (error) => {
        if (error.name === 'ProxyFailureError') return reject(error);
        this.requireAnswer().then(() => reject(new TunnelError('PROXY_CLOSED')), reject);
      });
      request.end();
    });
  }

  /** What a request that the proxy forwards has besides its own headers, as names and values in turn. */
  requestHeaders(): string[] {
    return Object.entries(this.#options.url.headers).flat();
  }

  /** Follows a request that the proxy forwards, and ends it when the proxy hangs. */
  follow(request: http.ClientRequest): void {
    this.#forwarded.add(request);
    const stopWatching = this.#watch((error) => request.destroy(error));
    request.once('response', stopWatching);
    request.once('close', stopWatching);
  }

  /**
   * The outcome of a response to a forwarded request; null when it is the receiver's own response. Throws when the
   * proxy failed.
   */
  outcomeOf(request: http.ClientRequest, status: number, headers: http.IncomingHttpHeaders): Outcome | null {
    if (!this.#forwarded.has(request)) return null;
    const verdict = judgeProxyResponse(status, headers, { isTunnel: false });
    if (verdict?.isProxyFailure) this.#judgeReport(request.host, verdict.code);
    else this.#reportWorking();
    return verdict && { type: verdict.code === 'PROXY_DENIED' ? 'refused' : 'connect', code: verdict.code };
  }

  /**
   * Rejects if the proxy answers nothing. It is asked when a connection through it has broken, which may also be the
   * receiver's doing.
   */
  async requireAnswer(): Promise<void> {
    const liveness = await this.#askWhetherAlive();
    if (liveness !== 'answers') throw this.#fail(liveness);
  }

  /**
   * Warns when the proxy connects to an address that callbacks may not reach. It is asked for its own port on loopback.
   */
  async probe(): Promise<void> {
    const { url, log } = this.#options;
    const target = `127.0.0.1:${url.port}`;
    const response = await this.#askFor(target).catch(() => null);
    if (!response) return;
    const { statusCode: status = 0, headers } = response;
    const isRefused = [401, 403, 407].includes(status);
    if (isRefused || judgeProxyResponse(status, headers, { isTunnel: !this.forwardsHttp })?.isProxyFailure) return;
    const hint = 'the proxy must refuse private addresses, or customers reach its network (docs/operate/security.md)';
    log.warn('egress_proxy.open', { target, status, hint });
  }

  async #askFor(target: string): Promise<http.IncomingMessage> {
    const plain = await this.connect();
    const forwards = this.forwardsHttp;
    const options = forwards ? { method: 'GET', path: `http://${target}/` } : { method: 'CONNECT', path: target };
    const headers = { ...this.#options.url.headers, Host: target };
    return new Promise((resolve, reject) => {
      const request = http.request({
        ...options,
        headers,
        createConnection: () => plain,
        timeout: this.#options.timeoutMs,
      });
      const end = (response: http.IncomingMessage) => {
        resolve(response);
        plain.destroy();
      };
      request.once('response', end).once('connect', end).once('error', reject);
      request.once('timeout', () => request.destroy());
      request.end();
    });
  }

  /** Asks after half of the deadline whether the proxy lives, and calls `onHang` if it doesn't. */
  #watch(onHang: (error: Error) => void): () => void {
    const check = async () => {
      const liveness = await this.#askWhetherAlive();
      const isAlive = liveness === 'answers' || liveness === 'PROXY_CLOSES';
      if (!isAlive && !isStopped) onHang(this.#fail('PROXY_HANGS'));
    };
    let isStopped = false;
    const timer = setTimeout(() => void check(), this.#options.timeoutMs / 2);
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  }

  /**
   * Whether the proxy answers at all. A receiver that hangs makes a proxy wait too; but a proxy that lives responds to
   * a malformed request at once, or closes the connection.
   */
  #askWhetherAlive(): Promise<Liveness> {
    this.#liveness ??= this.#ask().finally(() => (this.#liveness = undefined));
    return this.#liveness;
  }

  async #ask(): Promise<Liveness> {
    const socket = await this.connect().catch(() => null);
    if (!socket) return 'PROXY_UNREACHABLE';
    return new Promise((resolve) => {
      const end = (liveness: Liveness) => {
        clearTimeout(timer);
        socket.destroy();
        resolve(liveness);
      };
      const timer = setTimeout(() => end('PROXY_HANGS'), Math.min(livenessMs, this.#options.timeoutMs / 4));
      socket.once('data', () => end('answers'));
      for (const event of ['end', 'error']) socket.once(event, () => end('PROXY_CLOSES'));
      socket.write('?\r\n\r\n');
    });
  }

  #reportWorking(): void {
    this.#failure = undefined;
    this.#workedAtMonotonicMs = this.#now();
  }

  /**
   * Throws if the proxy failed, as the headers of a forwarded response say. A receiver can send such headers too. So
   * while the proxy works for others, they don't make it unusable, and after 5 minutes they are no longer believed.
   */
  #judgeReport(host: string, code: string): void {
    const now = this.#now();
    const workedAt = this.#workedAtMonotonicMs;
    const known = this.#doubtful.get(host);
    const isDoubted = known && workedAt > known.firstMonotonicMs && now - known.lastMonotonicMs < maxDoubtMs;
    const firstMonotonicMs = isDoubted ? known.firstMonotonicMs : now;
    setBounded(this.#doubtful, host, { firstMonotonicMs, lastMonotonicMs: now }, maxDoubtfulHosts);
    if (!isDoubted || now - workedAt > failingMs) throw this.#fail(code);
    if (now - firstMonotonicMs < maxDoubtMs) throw new ProxyFailureError(code);
  }

  #fail(code: string, cause?: Error): ProxyFailureError {
    const now = this.#now();
    this.#failure = { code, untilMonotonicMs: now + failingMs };
    if (now - this.#loggedAtMonotonicMs > logEveryMs) {
      this.#loggedAtMonotonicMs = now;
      const status = Number(/^PROXY_(\d+)$/.exec(code)?.[1]) || undefined;
      const hint = status === 407 ? 'check the password in EGRESS_PROXY' : 'callbacks wait, and no attempts are used';
      this.#options.log.error('egress_proxy.failing', { code, ...(status ? { status } : {}), hint });
    }
    return new ProxyFailureError(code, { cause });
  }
}

// RFC 9209, error types that are the proxy's own; all others are about the receiver.
const ownErrors =
  /^(proxy_internal_response|proxy_internal_error|proxy_configuration_error|proxy_loop_detected|connection_limit_reached)$/;
const deniedErrors = /^(http_request_denied|destination_ip_prohibited)$/;

/** The error in a `Proxy-Status`, of which each proxy on the way adds a member: ours, the last one, to those before. */
function readStatusError(proxyStatus: string): string | undefined {
  const last = proxyStatus.match(/(?:[^,"]|"[^"]*")+/g)?.at(-1) ?? '';
  return /;\s*error\s*=\s*"?([\w-]+)/.exec(last)?.[1];
}

// Squid's errors about a receiver that cannot be reached or breaks HTTP.
const squidReceiverErrors =
  /^ERR_(CONNECT_FAIL|SECURE_CONNECT_FAIL|DNS_FAIL|READ_TIMEOUT|READ_ERROR|WRITE_ERROR|ZERO_SIZE_OBJECT|INVALID_RESP|LIFETIME_EXP|TOO_BIG|UNSUP_HTTPVERSION)\b/;

/**
 * Whose fault the response of a proxy is, by its status and what its headers say; null when it is the receiver's own
 * response. In a tunnel's response a `Via` suffices to make a 502 to 504 the proxy's, because only proxies answer
 * CONNECT; a forwarded response always has one. A 407 that was forwarded has no `Proxy-Authenticate`, which a proxy
 * must send with its own and removes from others.
 */
function judgeProxyResponse(
  status: number,
  headers: http.IncomingHttpHeaders,
  { isTunnel }: { isTunnel: boolean },
): ProxyVerdict | null {
  const code = `PROXY_${status}`;
  const isForwarded = !isTunnel && headers.via !== undefined && headers['proxy-authenticate'] === undefined;
  if (status === 407) return isForwarded ? null : { isProxyFailure: true, code };
  const statusError = readStatusError(String(headers['proxy-status'] ?? ''));
  const squidError = headers['x-squid-error'];
  const isOwn = isTunnel || statusError !== undefined || squidError !== undefined;
  if (!isOwn) return null;
  if (status === 403 || deniedErrors.test(statusError ?? '')) return { isProxyFailure: false, code: 'PROXY_DENIED' };
  if (status < 502 || status > 504) return { isProxyFailure: false, code };
  if (statusError !== undefined) return { isProxyFailure: ownErrors.test(statusError), code };
  if (squidError !== undefined) return { isProxyFailure: !squidReceiverErrors.test(String(squidError)), code };
  return { isProxyFailure: headers.via !== undefined || headers['proxy-status'] !== undefined, code };
}
