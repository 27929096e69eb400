// Stores events from every source. `createRawEventIngester` validates what platforms push to a queue, and stores
// invalid data as rejected events. `ingestEvents` takes events that are validated with `parseEvent`, or built by
// Ringback itself. The API, for example, refuses invalid events with a 422. Both check accounts and webhooks when they
// store.
export { type FirstAttemptStarter, ingestEvents, type IngestDeps } from './ingest-events.js';
export {
  createRawEventIngester,
  type IngestResult,
  type RawEvent,
  type RawEventDeps,
  rejectRawEvent,
} from './raw-events.js';
export { retryRejectedEvent } from './retry-rejected-event.js';
