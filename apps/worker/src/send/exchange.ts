import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Outcome } from '@ringback/callbacks';
import { idleBeforeMs } from './idle-connections.js';

const mostInterim = 100;
const raceAfterMs = 1_000;

/** What the connection of one request does below what the HTTP client sees. */
export type Exchange = {
  request: ClientRequest;
  /**
   * Whether nothing came back on a connection that had been idle for a second or more: the receiver may have closed it
   * just before the request came. One that breaks sooner after an answer is broken by the receiver.
   */
  wasLeft(): boolean;
};

/**
 * Watches a request for what the HTTP client waits on for ever: 101 Switching Protocols, a failed attempt like any
 * other status, and a flood of interim responses such as 100 Continue.
 */
export function watchExchange(request: ClientRequest, end: (outcome: Outcome) => void): Exchange {
  let bytesBefore = 0;
  let interim = 0;
  request.once('socket', (socket) => (bytesBefore = socket.bytesRead));
  request.on('information', () => {
    if (++interim > mostInterim) end({ type: 'protocol', code: 'TOO_MANY_INTERIM_RESPONSES' });
  });
  request.once('upgrade', ({ statusCode = 101 }: IncomingMessage, socket: Duplex) => {
    socket.destroy();
    end({ type: 'response', status: statusCode });
  });
  const wasLeft = () => idleBeforeMs(request) >= raceAfterMs && request.socket?.bytesRead === bytesBefore;
  return { request, wasLeft };
}
