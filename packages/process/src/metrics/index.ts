export { Counter, Gauge, Histogram, type Registry } from 'prom-client';
export { createEventCounter, type IngestedEvent } from './events.js';
export { createHealthServer, type HealthDeps } from './health-server.js';
export { createHealthCheck, createMeasurement } from './measurement.js';
export { createRegistry, type RegistryOptions } from './registry.js';
