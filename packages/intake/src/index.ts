export { ingestEvents, type IntakeDeps } from './ingest-events.js';
export {
  ingestRawEvent,
  type IngestResult,
  type RawEventDeps,
  rejectRawEvent,
  retryRejectedEvent,
} from './raw-events.js';
export { resend, type ResendDeps } from './resend.js';
