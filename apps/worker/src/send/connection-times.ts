import type { ClientRequest } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * The duration of each phase of a request; null when the phase was not reached, or a reused connection did not need it.
 */
export type Timings = {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
};

type Moments = { startedAt: number; resolvedAt?: number; connectedAt?: number; secureAt?: number };

// There is one entry for each connection, so a request on a reused connection costs nothing here.
const moments = new WeakMap<Duplex, Moments>();

/** Records when a new connection reaches each phase. `connectedAt` is given for a connection that is already open. */
export function recordTimes(socket: Duplex, startedAt = performance.now(), connectedAt?: number): void {
  const times: Moments = connectedAt === undefined ? { startedAt } : { startedAt, connectedAt };
  moments.set(socket, times);
  socket.once('lookup', () => (times.resolvedAt = performance.now()));
  socket.once('connect', () => (times.connectedAt = performance.now()));
  socket.once('secureConnect', () => (times.secureAt = performance.now()));
}

const noTimings: Timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };
const between = (from: number | undefined, to: number | undefined) =>
  from === undefined || to === undefined ? null : Math.round(to - from);

/** The timings of a request that started at `startedAt`; the response's headers arrived at `respondedAt`. */
export function timingsOf(request: ClientRequest | undefined, startedAt: number, respondedAt?: number): Timings {
  const times = request?.socket && moments.get(request.socket);
  if (!times) return noTimings;
  if (request.reusedSocket) return { ...noTimings, firstByteMs: between(startedAt, respondedAt) };
  const { resolvedAt, connectedAt, secureAt } = times;
  return {
    dnsMs: between(times.startedAt, resolvedAt),
    connectMs: between(resolvedAt ?? times.startedAt, connectedAt),
    tlsMs: between(connectedAt, secureAt),
    firstByteMs: between(secureAt ?? connectedAt, respondedAt),
  };
}
