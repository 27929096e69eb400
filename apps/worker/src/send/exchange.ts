import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Outcome } from '@ringback/callbacks';

const mostInterim = 100;

/** What the connection of one request does below what the HTTP client sees. */
export type Exchange = {
  request: ClientRequest;
  /** Whether nothing came back on a connection that an earlier request had used. */
  isUntouched(): boolean;
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
  return { request, isUntouched: () => request.reusedSocket && request.socket?.bytesRead === bytesBefore };
}
