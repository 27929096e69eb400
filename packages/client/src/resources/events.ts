import type { ProducedEvent } from '../event.js';
import type { List } from '../list.js';
import type { RequestOptions } from '../transport.js';
import type { EventKind } from '../types.js';
import { Resource } from './resource.js';

/**
 * What became of a pushed event. `duplicate`: an event that is the same was pushed before, and `id` is that one's. A
 * push that is repeated because its response was lost has this state too.
 */
export type PushedEvent = { id: string; state: 'accepted' | 'duplicate' };

const maxBatchSize = 1_000;
// `POST /events` takes 4 MiB.
const maxBatchBytes = 3_500_000;

/** `client.events`. `push` needs a platform token, `listKinds` an access token. */
export class Events extends Resource {
  /**
   * Pushes events in batches of at most 1,000 events and 3.5 MB; a larger event is a batch of its own. Resolves when
   * all are durable, with what became of each, in order. Rejects with a ValidationError if an event is malformed: no
   * event of that batch or of later ones is stored then. An event is stored once however often it is pushed.
   */
  async push(events: ProducedEvent | ProducedEvent[], options?: RequestOptions): Promise<PushedEvent[]> {
    const pushed: PushedEvent[] = [];
    for (const body of splitIntoBatches([events].flat())) {
      pushed.push(
        ...(await this.request<PushedEvent[]>({ method: 'POST', path: '/events', body, isIdempotent: true, options })),
      );
    }
    return pushed;
  }

  /** The kinds of events, each with the JSON Schema of its callback and an example. */
  listKinds(options?: RequestOptions): List<EventKind> {
    return this.listOf('/developer/events', undefined, options);
  }
}

function splitIntoBatches(events: ProducedEvent[]): ProducedEvent[][] {
  const batches: ProducedEvent[][] = [];
  let batch: ProducedEvent[] = [];
  let batchBytes = Infinity;
  const encoder = new TextEncoder();
  for (const event of events) {
    const eventBytes = encoder.encode(JSON.stringify(event)).length + 1;
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
