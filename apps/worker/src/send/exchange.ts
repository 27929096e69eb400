import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Outcome } from '@ringback/callbacks';
import { noteIdleLimit } from './idle-connections.js';

const maxInterim = 100;

/**
 * Watches a request for what the HTTP client waits on for ever: 101 Switching Protocols, a failed attempt like any
 * other status, and a flood of interim responses such as 100 Continue. Notes how long its connection may be kept.
 */
export function watchExchange(request: ClientRequest, end: (outcome: Outcome) => void): void {
  let interim = 0;
  request.on('information', () => {
    if (++interim > maxInterim) end({ type: 'protocol', code: 'TOO_MANY_INTERIM_RESPONSES' });
  });
  request.once('response', noteIdleLimit);
  request.once('upgrade', ({ statusCode = 101 }: IncomingMessage, socket: Duplex) => {
    socket.destroy();
    end({ type: 'response', status: statusCode });
  });
}
