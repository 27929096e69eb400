export { type Config, readConfig } from './config.js';
export { commandFor, findDataFolder, findRoot, installCommandFor, readVersion } from './installation.js';
export {
  announceReady,
  type Fail,
  formatError,
  type OnStop,
  OperatorError,
  requireReachable,
  runProcess,
} from './lifecycle.js';
export { hostInUrl, listen } from './listen.js';
export { createLogger, errorFields, type Logger } from './logger.js';
export { parseTimestamp } from './parse-timestamp.js';
export { isNetworkErrorCode } from './network-errors.js';
export { isProcessAlive } from './is-process-alive.js';
export {
  closeWhenReadOnly,
  isServerUnavailable,
  requireWritableSql,
  SessionClient,
  sessionConfig,
} from './pg-connections.js';
export { portalLink } from './portal-link.js';
export { printable, printableJson } from './printable.js';
export { parseProxyUrl, type HttpProxy } from './proxy-url.js';
export { warnOfRenamedVariables } from './renamed-variables.js';
export { type Role, roles, warnOfRenamedRoles } from './roles.js';
export { parseSecretKeys, unencryptedSecretsWarning } from './secret-keys.js';
export { groupBy } from './group-by.js';
export { percentDecode } from './percent-decode.js';
export { setBounded } from './set-bounded.js';
export { createStopHandler } from './stop-handler.js';
export { createTracer, type Tracer } from './tracer.js';
export { defaultApiPath, type VariableName, variables } from './variables.js';
export { withTimeout } from './with-timeout.js';
