export { findChromium } from './chromium.js';
export { describeTestPostgres, findInstalledPostgres, startTestPostgres } from './installed-postgres.js';
export { type ProcessUsage, readProcessUsage } from './process-usage.js';
export { type RedisCluster, startRedisCluster } from './redis-cluster.js';
export { type RedisWithSentinels, startRedisWithSentinels } from './redis-sentinel.js';
export { hasRedis, prepareRedis, prepareTls, type RedisServer, startRedis, type TlsFiles } from './redis-server.js';
export {
  backends,
  createTestDatabase,
  databaseUrl,
  execute,
  homeOfPrograms,
  redisUrl,
  templateName,
  type TestBackend,
  type TestDatabase,
} from './servers.js';
export { type BreakPoint, startTcpProxy, type TcpProxy } from './tcp-proxy.js';
export { createTemporaryFolder } from './temporary-folder.js';
export { endsBefore, until } from './waiting.js';
