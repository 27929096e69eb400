// Loaded before a worker: every backoff that BullMQ asks its worker for is undefined.
import { changeWorkers } from './change-workers.js';

changeWorkers((options) => {
  options.settings = { backoffStrategy: () => undefined as never };
});
