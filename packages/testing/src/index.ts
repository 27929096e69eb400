export { type ProcessUsage, readProcessUsage } from './process-usage.js';
export { type RedisCluster, startRedisCluster } from './redis-cluster.js';
export { prepareTls, type TlsFiles } from './redis-tls.js';
export { type RedisWithSentinels, startRedisWithSentinels } from './redis-sentinel.js';
export { hasRedis, prepareRedis, type RedisServer, startRedis } from './redis-server.js';
export { backends, createTestDatabase, redisUrl, type TestBackend, type TestDatabase } from './servers.js';
export { type BreakPoint, openTcpProxy, type TcpProxy } from './tcp-proxy.js';
export { makeTemporaryFolder } from './temporary-folder.js';
export { until } from './until.js';
