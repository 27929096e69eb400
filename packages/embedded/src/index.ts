export type { Binaries } from './binaries.js';
export { findFreePort } from './free-port.js';
export { type Ending, type Guard, guardProcess } from './guard.js';
export { type EmbeddedOptions, type EmbeddedPostgres, startEmbeddedPostgres } from './start.js';
