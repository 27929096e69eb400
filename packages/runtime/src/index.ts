export { type Config, readAs, readConfig } from './config.js';
export { announceReady, explain, type Fail, type OnStop, reach, runProcess, StartError } from './lifecycle.js';
export { createLogger, errorFields, type Logger } from './logger.js';
export { joinRunning, readData } from './running.js';
export { secretsInClear } from './secret-keys.js';
export { type VariableName, variables } from './variables.js';
export { readVersion } from './version.js';
export { within } from './within.js';
