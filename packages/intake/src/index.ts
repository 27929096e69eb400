export { ingestEvents, type IntakeDeps } from './ingest-events.js';
export {
  createRawEventIngester,
  type IngestResult,
  type RawEvent,
  type RawEventDeps,
  rejectRawEvent,
} from './raw-events.js';
export { resendOrMakeDue, type ResendDeps } from './resend.js';
export { retryRejectedEvent } from './retry-rejected-event.js';
