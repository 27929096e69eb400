import type { ClientRequest } from 'node:http';
import type { Duplex } from 'node:stream';

/** How long each phase of a call took; null when it was not reached, or not needed on a connection that was reused. */
export type Timings = {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
};

type Moments = { startedAt: number; resolvedAt?: number; connectedAt?: number; secureAt?: number };

// Kept per connection, not per call, so that a call on a connection that is reused costs nothing here.
const moments = new WeakMap<Duplex, Moments>();

/** Notes when a new connection reaches its phases, or, with `connectedAt`, those that are still to come. */
export function noteTimes(socket: Duplex, startedAt = performance.now(), connectedAt?: number): void {
  const times: Moments = connectedAt === undefined ? { startedAt } : { startedAt, connectedAt };
  moments.set(socket, times);
  socket.once('lookup', () => (times.resolvedAt = performance.now()));
  socket.once('connect', () => (times.connectedAt = performance.now()));
  socket.once('secureConnect', () => (times.secureAt = performance.now()));
}

const nothing: Timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };
const between = (from: number | undefined, to: number | undefined) =>
  from === undefined || to === undefined ? null : Math.round(to - from);

/** The phases of a call that started and, when there was a response, got its headers at these moments. */
export function timingsOf(call: ClientRequest | undefined, startedAt: number, respondedAt?: number): Timings {
  const times = call?.socket && moments.get(call.socket);
  if (!times) return nothing;
  if (call.reusedSocket) return { ...nothing, firstByteMs: between(startedAt, respondedAt) };
  const { resolvedAt, connectedAt, secureAt } = times;
  return {
    dnsMs: between(times.startedAt, resolvedAt),
    connectMs: between(resolvedAt ?? times.startedAt, connectedAt),
    tlsMs: between(connectedAt, secureAt),
    firstByteMs: between(secureAt ?? connectedAt, respondedAt),
  };
}
