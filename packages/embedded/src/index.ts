export { type Binaries, findBinaries } from './binaries.js';
export { findFreePort } from './free-port.js';
export { type Guard, guardProcess, type StopSequence } from './guard-process.js';
export { type EmbeddedOptions, type EmbeddedPostgres, startEmbeddedPostgres } from './start.js';
