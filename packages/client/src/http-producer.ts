import type { Producer } from './event.js';
import { openClient, unwrap } from './open-client.js';

export type HttpProducerSettings = {
  /** With the version, such as `https://ringback.example/api/v2`. */
  baseUrl: string;
  /** From `ringback platform-token create`. */
  platformToken: string;
};

const largestBatch = 1_000;

/**
 * Pushes events over HTTP. `push` resolves when they are durable, and rejects with an ApiError when one is malformed:
 * then nothing of its batch of 1,000 was taken.
 */
export function openHttpProducer({ baseUrl, platformToken }: HttpProducerSettings): Producer {
  const client = openClient({ baseUrl, token: platformToken });
  return {
    async push(events) {
      const all = [events].flat();
      for (let start = 0; start < all.length; start += largestBatch) {
        await unwrap(client.POST('/events', { body: all.slice(start, start + largestBatch) }));
      }
    },
    close: () => Promise.resolve(),
  };
}
