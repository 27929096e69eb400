// Loaded before a worker: a job whose worker died is not tried again, as BullMQ does it the second time when it is not told
// otherwise.
import { changeWorkers } from './change-workers.js';

changeWorkers((options) => {
  options.maxStalledCount = 0;
});
