import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Outcome } from '@ringback/rules';
import { storeIdleLimit } from './idle-connections.js';

const maxInterimResponses = 100;

/**
 * Ends a request in two cases that might otherwise end as a timeout: 101 Switching Protocols, which counts as a failed
 * response, and more than 100 interim responses such as 100 Continue. Also stores for how long the connection may be
 * idle after the response.
 */
export function watchRequest(request: ClientRequest, end: (outcome: Outcome) => void): void {
  let interimCount = 0;
  request.on('information', () => {
    if (++interimCount > maxInterimResponses) end({ type: 'protocol', code: 'TOO_MANY_INTERIM_RESPONSES' });
  });
  request.once('response', storeIdleLimit);
  request.once('upgrade', ({ statusCode = 101 }: IncomingMessage, socket: Duplex) => {
    socket.destroy();
    end({ type: 'response', status: statusCode });
  });
}
