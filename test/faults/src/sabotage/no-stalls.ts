// Loaded before a worker: a job whose worker died is not tried again, as BullMQ does it the second time when it is not told
// otherwise.
import { Worker } from 'bullmq';

const run = Worker.prototype.run;
Worker.prototype.run = function (this: Worker) {
  this.opts.maxStalledCount = 0;
  return run.call(this);
};
