import { announceReady, createLogger, type Logger, runProcess } from '@ringback/runtime';
import { readWorkerConfig } from './config.js';
import { startWorker } from './worker.js';

let log: Logger | undefined;

runProcess(
  async (onStop) => {
    const config = readWorkerConfig(process.env);
    log = createLogger({ service: 'worker', level: config.logLevel, format: config.logFormat });
    await startWorker(config, { log, onStop });
    announceReady();
  },
  { log: () => log, stopWithinMs: 10_000 },
);
