import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { createHealthCheck } from './create-measurement.js';

export type RegistryOptions = {
  version: string;
  /** Resolves if the database and the queue engine respond. */
  checkReady: () => Promise<unknown>;
  pools: Pool[];
};

// The interval at which the delay of the event loop is measured. Each measurement wakes the process. With the default
// of 10 ms, this is most of the CPU time of a process without traffic. Node's values include this interval: the
// dashboard and the alert subtract it.
const eventLoopSampleMs = 100;

type Pool = { totalCount: number; idleCount: number; waitingCount: number };

/**
 * Creates a registry with the metrics that every process has: Node's default metrics (`nodejs_eventloop_lag_seconds`,
 * `process_…`), the version, the readiness, and the state of the PostgreSQL connection pools.
 */
export function createRegistry({ version, checkReady, pools }: RegistryOptions): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopSampleMs });
  const registers = [registry];
  const sum = (count: (pool: Pool) => number) => pools.reduce((total, pool) => total + count(pool), 0);
  const info = { name: 'ringback_info', help: 'Always 1; the version is in the label.', labelNames: ['version'] };
  new Gauge({ ...info, registers }).set({ version }, 1);
  // Registered first, so that it does not count the statements that collect the other metrics.
  const connections = new Gauge({
    name: 'ringback_database_connections',
    help: 'Connections to PostgreSQL, by state.',
    labelNames: ['state'],
    registers,
    collect() {
      const idle = sum((pool) => pool.idleCount);
      connections.set({ state: 'idle' }, idle);
      connections.set({ state: 'busy' }, sum((pool) => pool.totalCount) - idle);
    },
  });
  const waiting = new Gauge({
    name: 'ringback_database_waiting',
    help: 'Statements that wait for a connection.',
    registers,
    collect() {
      waiting.set(sum((pool) => pool.waitingCount));
    },
  });
  const serversRespond = createHealthCheck(checkReady);
  const ready = new Gauge({
    name: 'ringback_ready',
    help: '1 if the database and, where the process uses it, the queue engine respond, else 0.',
    registers,
    async collect() {
      ready.set((await serversRespond()) ? 1 : 0);
    },
  });
  return registry;
}
