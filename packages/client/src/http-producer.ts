import type { Producer } from './event.js';
import { createClient, unwrap } from './create-client.js';

export type HttpProducerSettings = {
  /** The base URL with its version, such as `https://ringback.example/api/v2`. */
  baseUrl: string;
  /** A token created by `ringback platform-token create`. */
  platformToken: string;
};

const maxBatchSize = 1_000;

/**
 * Creates a producer that pushes events over HTTP, in batches of 1,000. `push` resolves when the events are durable. It
 * rejects with an ApiError if an event is malformed; no event of its batch is stored then.
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
