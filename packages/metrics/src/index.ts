export { Counter, Gauge, Histogram, type Registry } from 'prom-client';
export { createEventCounter, type IngestedEvent } from './events.js';
export { createHealthServer, type HealthDeps } from './health-server.js';
export { createHealthCheck } from './create-measurement.js';
export { registerQueueMetrics } from './queues.js';
export { createRegistry, type RegistryOptions } from './registry.js';
