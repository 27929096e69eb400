export { type Arrival, type IntakeDeps, retryRejected, takeEvents, takeRaw } from './take-events.js';
