export { type Binaries, findBinaries } from './binaries.js';
export { type EmbeddedOptions, type EmbeddedPostgres, findFreePort, startEmbeddedPostgres } from './server.js';
export { type Guard, stopWithParent, type StopSequence } from './stop-with-parent.js';
