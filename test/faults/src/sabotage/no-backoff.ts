// Loaded before a worker: every backoff that BullMQ asks its worker for is undefined.
import { Worker } from 'bullmq';

const run = Worker.prototype.run;
Worker.prototype.run = function (this: Worker) {
  this.opts.settings = { backoffStrategy: () => undefined as never };
  return run.call(this);
};
