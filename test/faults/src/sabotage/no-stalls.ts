// Loaded before a worker. The worker does not look for jobs of crashed workers, so these jobs stay active.
import { changeWorkers } from './change-workers.js';

changeWorkers((options) => {
  options.skipStalledCheck = true;
});
