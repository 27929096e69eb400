export { type Binaries, findBinaries } from './binaries.js';
export { findFreePort } from './free-port.js';
export { type Guard, stopWithParent, type StopSequence } from './stop-with-parent.js';
export { type EmbeddedOptions, type EmbeddedPostgres, startEmbeddedPostgres } from './start.js';
