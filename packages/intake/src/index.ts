export { resend, type ResendDeps } from './resend.js';
export {
  type Arrival,
  type IntakeDeps,
  type RawDeps,
  rejectRaw,
  retryRejected,
  takeEvents,
  takeManyEvents,
  takeRaw,
} from './take-events.js';
