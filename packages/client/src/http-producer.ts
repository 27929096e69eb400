import { createClient, type RingbackClient } from './client.js';
import type { ProducedEvent, Producer } from './event.js';
import type { PushedEvent } from './resources/events.js';
import type { ClientSettings, RequestOptions } from './transport.js';

export type HttpProducerSettings = Omit<ClientSettings, 'token' | 'accountId'> & {
  /** A token created by `ringback platform-token create`. */
  platformToken: string;
};

/** With `Retry-After: 5` of the server, pushes outlast half a minute without it. */
const defaultMaxRetries = 6;

/** Pushes events over HTTP. */
export class HttpProducer implements Producer {
  readonly #client: RingbackClient;

  constructor({ platformToken, maxRetries = defaultMaxRetries, ...settings }: HttpProducerSettings) {
    this.#client = createClient({ ...settings, maxRetries, token: platformToken });
  }

  /**
   * Pushes events as `client.events.push` does, with more retries: 6 when `maxRetries` is absent. Resolves with what
   * became of each event, in order.
   */
  push(events: ProducedEvent | ProducedEvent[], options?: RequestOptions): Promise<PushedEvent[]> {
    return this.#client.events.push(events, options);
  }

  /** Does nothing: there is nothing to close. It is here because other producers have it. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Creates a producer that pushes events over HTTP. */
export const createHttpProducer = (settings: HttpProducerSettings): HttpProducer => new HttpProducer(settings);
