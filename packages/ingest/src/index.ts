// Stores events from every source. `createRawEventIngester` validates what platforms push to a queue or a broker, and
// stores invalid data as rejected events. `ingestEvents` takes only valid events, from callers that validate them with
// `parseEvent` (such as the API, which refuses invalid ones with a 422) or build them. Both functions store an event as
// rejected if its account or webhook is unknown.
export { type DirectLeasing, ingestEvents, type IngestDeps, type IngestResult, logIngested } from './ingest-events.js';
export { createRawEventIngester, type RawEvent, type RawEventDeps, rejectRawEvent } from './raw-events.js';
export { retryRejectedEvent } from './retry-rejected-event.js';
