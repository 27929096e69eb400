import net, { type Socket } from 'node:net';
import { type AllowList, isForbiddenAddress } from '@ringback/rules';
import { setBounded } from '@ringback/process';
import type { ResolvedAddress } from './dns-cache.js';

/** The receiver's address is forbidden. Nothing was sent. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
  readonly code = 'REFUSED_ADDRESS';
  constructor() {
    super('refused');
  }
}

/** Opens a connection to an address. `open` is the usual way to do so, which tests replace. */
export type Dial = (address: string, open: () => Socket) => Socket;

export type DiallerSettings = {
  allow: AllowList;
  /** How long connecting to a name may take. */
  timeoutMs: number;
  dial: Dial;
};

/** The name and port to connect to, with the addresses of the name that have been checked. */
export type Target = { hostname: string; port: number; addresses: ResolvedAddress[] };

// RFC 8305, Connection Attempt Delay.
const attemptDelayMs = 250;
const rememberMs = 600_000;
const maxRemembered = 10_000;

class ConnectTimeoutError extends Error {
  override readonly name = 'ConnectTimeoutError';
  readonly code = 'ETIMEDOUT';
}

/**
 * Connects to names with several addresses as RFC 8305 (Happy Eyeballs) says: a further address is tried every 250 ms,
 * and at once when one fails, while the earlier ones go on. Node's own `autoSelectFamily` ends an earlier one instead,
 * so it never reaches a receiver that is 250 ms away and has a dead address too.
 */
export class Dialler {
  readonly #settings: DiallerSettings;
  /** The address of each name that connected last. */
  readonly #connected = new Map<string, { address: string; untilMonotonicMs: number }>();
  readonly #races = new Set<Race>();

  constructor(settings: DiallerSettings) {
    this.#settings = settings;
  }

  /** Resolves with a connection to the first address that accepts one. Rejects when none does in time. */
  async connect({ hostname, port, addresses }: Target): Promise<Socket> {
    const { dial, timeoutMs, allow } = this.#settings;
    const open = (address: string) =>
      dial(address, () => net.connect({ host: address, port, noDelay: true, keepAlive: true }));
    const race = new Race(this.#inOrder(hostname, addresses), { open, timeoutMs, allow });
    this.#races.add(race);
    try {
      const { socket, address } = await race.result;
      setBounded(
        this.#connected,
        hostname,
        { address, untilMonotonicMs: performance.now() + rememberMs },
        maxRemembered,
      );
      return socket;
    } finally {
      this.#races.delete(race);
    }
  }

  /** Ends what is still connecting. */
  close(): void {
    for (const race of this.#races) race.fail(new ConnectTimeoutError('the sender was closed'));
  }

  /** First the address that connected last, then the families in turn, each in the resolver's order. */
  #inOrder(hostname: string, addresses: ResolvedAddress[]): string[] {
    const [first] = addresses;
    const same = addresses.filter(({ family }) => family === first?.family);
    const other = addresses.filter(({ family }) => family !== first?.family);
    const inTurn = Array.from({ length: Math.max(same.length, other.length) }, (_, index) => [
      same[index],
      other[index],
    ])
      .flat()
      .flatMap((entry) => (entry ? [entry.address] : []));
    const last = this.#connected.get(hostname);
    if (!last || last.untilMonotonicMs < performance.now() || !inTurn.includes(last.address)) return inTurn;
    return [last.address, ...inTurn.filter((address) => address !== last.address)];
  }
}

type RaceSettings = { open(address: string): Socket; timeoutMs: number; allow: AllowList };

/** One race of connections to the addresses of a name. */
class Race {
  readonly result: Promise<{ socket: Socket; address: string }>;
  readonly #settings: RaceSettings;
  readonly #waiting: string[];
  readonly #connecting = new Set<Socket>();
  readonly #errors: NodeJS.ErrnoException[] = [];
  readonly #deadline: NodeJS.Timeout;
  #nextStart: NodeJS.Timeout | undefined;
  #win: (winner: { socket: Socket; address: string }) => void = () => {};
  #lose: (error: Error) => void = () => {};

  constructor(addresses: string[], settings: RaceSettings) {
    this.#settings = settings;
    this.#waiting = [...addresses];
    this.result = new Promise((resolve, reject) => {
      this.#win = resolve;
      this.#lose = reject;
    });
    this.#deadline = setTimeout(() => this.fail(new ConnectTimeoutError('no connection in time')), settings.timeoutMs);
    this.#startNext();
  }

  fail(error: Error): void {
    this.#end();
    this.#lose(error);
  }

  #startNext(): void {
    clearTimeout(this.#nextStart);
    const address = this.#waiting.shift();
    if (address === undefined) return;
    const socket = this.#settings.open(address);
    this.#connecting.add(socket);
    const onError = (error: Error) => this.#failed(socket, error);
    socket.once('error', onError);
    socket.once('connect', () => {
      const { remoteAddress } = socket;
      if (remoteAddress === undefined || isForbiddenAddress(remoteAddress, this.#settings.allow)) {
        socket.destroy(new ForbiddenAddressError());
        return;
      }
      socket.off('error', onError);
      this.#connecting.delete(socket);
      this.#end();
      this.#win({ socket, address });
    });
    if (this.#waiting.length > 0) this.#nextStart = setTimeout(() => this.#startNext(), attemptDelayMs);
  }

  #failed(socket: Socket, error: Error): void {
    // The error of a connection that has lost.
    if (!this.#connecting.delete(socket)) return;
    this.#errors.push(error);
    if (this.#waiting.length > 0) this.#startNext();
    else if (this.#connecting.size === 0) this.fail(mostTelling(this.#errors));
  }

  #end(): void {
    clearTimeout(this.#deadline);
    clearTimeout(this.#nextStart);
    this.#waiting.length = 0;
    const losers = [...this.#connecting];
    this.#connecting.clear();
    for (const socket of losers) socket.destroy();
  }
}

// Of these, a further address of the name usually tells more: this machine has no route to one family.
const unreachableCodes = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/** Of the errors of all addresses, the one that is reported: a refusal first, and an unreachable network last. */
function mostTelling(errors: NodeJS.ErrnoException[]): Error {
  return (
    errors.find(({ code }) => code === 'REFUSED_ADDRESS') ??
    errors.find(({ code }) => !unreachableCodes.has(code ?? '')) ??
    errors[0] ??
    new ConnectTimeoutError('no address')
  );
}
