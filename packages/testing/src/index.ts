export { type RedisServer, startRedisServer } from './redis-server.js';
export { backends, createTestDatabase, redisUrl, type TestBackend, type TestDatabase } from './servers.js';
