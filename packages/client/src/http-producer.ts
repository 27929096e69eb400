import type { Producer } from './event.js';
import { createClient, unwrap } from './create-client.js';

export type HttpProducerSettings = {
  /** The base URL with its version, such as `https://ringback.example/api/v2`. */
  baseUrl: string;
  /** A token of `ringback platform-token create`. */
  platformToken: string;
};

const maxBatchSize = 1_000;

/**
 * Creates a producer that pushes events over HTTP. `push` resolves when the events are durable. It rejects with an ApiError
 * when an event is malformed; then no event of that batch of 1,000 is stored.
 */
export function createHttpProducer({ baseUrl, platformToken }: HttpProducerSettings): Producer {
  const client = createClient({ baseUrl, token: platformToken });
  return {
    async push(events) {
      const all = [events].flat();
      for (let start = 0; start < all.length; start += maxBatchSize) {
        await unwrap(client.POST('/events', { body: all.slice(start, start + maxBatchSize) }));
      }
    },
    close: () => Promise.resolve(),
  };
}
