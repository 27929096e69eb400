import { announceReady, createLogger, type Logger, runProcess, warnOfRenamedVariables } from '@ringback/process';
import { readWorkerConfig } from './config.js';
import { shutdownBudgets, startWorker } from './worker.js';

let log: Logger | undefined;
let stopWithinMs = 0;

runProcess(
  async (onStop, fail) => {
    const config = readWorkerConfig(process.env);
    stopWithinMs = shutdownBudgets(config).totalMs;
    log = createLogger({ service: 'worker', level: config.logLevel, format: config.logFormat });
    warnOfRenamedVariables(process.env, log);
    await startWorker(config, { log, onStop, fail });
    announceReady();
  },
  { log: () => log, stopWithinMs: () => stopWithinMs },
);
