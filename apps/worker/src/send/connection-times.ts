import type { ClientRequest } from 'node:http';
import type { Duplex } from 'node:stream';

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
export function recordTimes(
  socket: Duplex,
  startedAtMonotonicMs = performance.now(),
  connectedAtMonotonicMs?: number,
): void {
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
  request: ClientRequest | undefined,
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
