export { ByteSemaphore } from './byte-semaphore.js';
export {
  type Config,
  nameInUse,
  namingVariables,
  readConfig,
  readNaming,
  renamedVariables,
  warnOfRenamedVariables,
  withNewNames,
} from './config.js';
export {
  commandFor,
  findDataFolder,
  findRoot,
  generatedKey,
  installCommandFor,
  readVersion,
  whereKeyIs,
} from './installation.js';
export {
  announceReady,
  type Fail,
  formatError,
  isProcessAlive,
  type OnStop,
  OperatorError,
  requireReachable,
  runProcess,
} from './lifecycle.js';
export { createLogger, errorFields, type Logger } from './logger.js';
export { groupBy, setBounded } from './maps.js';
export { hostInUrl, listen } from './network.js';
export { closeWhenReadOnly, requireWritableSql, SessionClient, sessionConfig } from './pg-connections.js';
export { isPostgresUnavailable, isUnavailableCode, someCause } from './pg-errors.js';
export {
  addressOfBaseUrl,
  addressVariables,
  apiPathOf,
  docsUrlOf,
  pathOf,
  portalLink,
  type PublicAddress,
  readAddressSettings,
} from './public-address.js';
export { parseTimestamp, percentDecode, printable, printableJson, printableJsonText } from './text.js';
export { createTracer, type Tracer } from './tracer.js';
export {
  type EgressProxySettings,
  parseProxyExceptions,
  parseProxyUrl,
  parseSecretKeys,
  type Role,
  roles,
  servicePaths,
} from './variable-parsers.js';
export { unencryptedSecretsWarning, type VariableName, variables } from './variables.js';
export { dayMs, EndableWait, withTimeout } from './waits.js';
