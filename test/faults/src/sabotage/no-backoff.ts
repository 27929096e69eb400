// Loaded before a worker. The backoff strategy of every BullMQ worker returns undefined.
import { changeWorkers } from './change-workers.js';

changeWorkers((options) => {
  options.settings = { backoffStrategy: () => undefined as never };
});
