import { isIP, Socket } from 'node:net';
import type { Dial } from './dial.js';
import type { ResolveHost } from './dns-cache.js';

/** Request headers and body that nothing depends on. */
export const plainRequest = { headers: { 'Content-Type': 'application/json' }, body: Buffer.from('{}') };

/** A socket that never connects. While a socket is connecting, nothing is written to it. */
export class PendingSocket extends Socket {
  override readonly connecting = true;
}

export type Spy = { dialled: string[]; dial: Dial };

/** Replaces the opening of connections: records each address that would have been dialled, and dials none. */
export function openSpy(): Spy {
  const dialled: string[] = [];
  const dial: Dial = (address) => {
    const socket = new PendingSocket();
    dialled.push(address);
    const refusal = Object.assign(new Error('the spy opens no connection'), { code: 'ECONNREFUSED' });
    setImmediate(() => socket.destroy(refusal));
    return socket;
  };
  return { dialled, dial };
}

/** A resolver that knows these names; `*` stands for all others. `asked` lists the names that were looked up. */
export function stubResolver(answers: Record<string, string[]>): ResolveHost & { asked: string[] } {
  const asked: string[] = [];
  const resolve: ResolveHost = async (hostname) => {
    asked.push(hostname);
    const addresses = answers[hostname] ?? answers['*'];
    if (!addresses) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
  return Object.assign(resolve, { asked });
}
