export { aliasOf } from './alias-of.js';
export { createProgress, type Progress } from './progress.js';
export { requireRingback } from './require-ringback.js';
export { completeEnvironment, readDataFile, readRunningService } from './running-service.js';
export { createStopSignal } from './stop-signal.js';
export { wholeNumber } from './whole-number.js';
