import { Worker } from 'bullmq';

/** Changes the options of every BullMQ worker of this process when the BullMQ worker starts. */
export function changeWorkers(change: (options: Worker['opts']) => void): void {
  const run = Worker.prototype.run;
  Worker.prototype.run = function (this: Worker) {
    change(this.opts);
    return run.call(this);
  };
}
