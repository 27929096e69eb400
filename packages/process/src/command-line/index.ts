export { aliasOf, createStopSignal, wholeNumber } from './options.js';
export { createProgress, type Progress } from './progress.js';
export { completeEnvironment, readDataFile, readRunningService, requireRingback } from './running-service.js';
