export { Counter, Gauge, Histogram, type Registry } from 'prom-client';
export { countEvents } from './events.js';
export { succeeds } from './measure.js';
export { measureQueues } from './queues.js';
export { openRegistry, type RegistryOptions } from './registry.js';
