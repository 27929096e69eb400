import type { ProducedEvent, Producer } from './event.js';
import { createClient, unwrap } from './create-client.js';

export type HttpProducerSettings = {
  /** The base URL with its version, such as `https://ringback.example/api/v2`. */
  baseUrl: string;
  /** A token created by `ringback platform-token create`. */
  platformToken: string;
};

/** A pushed event. The `id` of a duplicate is that of the event that was pushed before. */
export type PushedEvent = { id: string; state: 'accepted' | 'duplicate' };

export type HttpProducer = Producer & {
  /** Like `push` of every producer. Resolves with what became of each event, in order. */
  push(events: ProducedEvent | ProducedEvent[]): Promise<PushedEvent[]>;
};

const maxBatchSize = 1_000;
// `POST /events` takes 4 MiB.
const maxBatchBytes = 3_500_000;

/**
 * Creates a producer that pushes events over HTTP, in batches of at most 1,000 events and 3.5 MB; a larger event is a
 * batch of its own. `push` resolves when the events are durable. It rejects with an ApiError if an event is malformed.
 * No event of that batch or of later ones is stored then.
 */
export function createHttpProducer({ baseUrl, platformToken }: HttpProducerSettings): HttpProducer {
  const client = createClient({ baseUrl, token: platformToken });
  return {
    async push(events) {
      const pushed: PushedEvent[] = [];
      for (const body of splitIntoBatches([events].flat())) {
        const answer = await unwrap(client.POST('/events', { body }));
        // The answer is a text only if the request is NDJSON.
        if (typeof answer === 'object') pushed.push(...answer.data);
      }
      return pushed;
    },
    close: () => Promise.resolve(),
  };
}

function splitIntoBatches(events: ProducedEvent[]): ProducedEvent[][] {
  const batches: ProducedEvent[][] = [];
  let batch: ProducedEvent[] = [];
  let batchBytes = Infinity;
  for (const event of events) {
    const eventBytes = Buffer.byteLength(JSON.stringify(event)) + 1;
    if (batch.length === maxBatchSize || batchBytes + eventBytes > maxBatchBytes) {
      batch = [];
      batchBytes = 0;
      batches.push(batch);
    }
    batch.push(event);
    batchBytes += eventBytes;
  }
  return batches;
}
