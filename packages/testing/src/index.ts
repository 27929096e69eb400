export { backends, createTestDatabase, redisUrl, type TestBackend, type TestDatabase } from './servers.js';
