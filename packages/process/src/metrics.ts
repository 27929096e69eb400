import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { createHealthCheck, createMeasurement } from './health.js';

export { Counter, Gauge, Histogram, type Registry } from 'prom-client';
export { createHealthCheck, createHealthServer, createMeasurement, limitShare } from './health.js';

type RegistryOptions = {
  version: string;
  /** Resolves if the database accepts writes and, where the process uses it, the queue engine responds. */
  checkReady: () => Promise<unknown>;
  /** The connection pools of the process to Ringback's tables. */
  pools: Pool[];
};

// The interval at which the delay of the event loop is measured. Each measurement wakes the process. With the default
// of 10 ms, the measurements take most of the CPU time of a process without traffic. Node's values of the delay include
// the interval: the dashboard and the alert subtract it.
const eventLoopSampleMs = 100;

type Pool = { totalCount: number; idleCount: number; waitingCount: number };

/**
 * Creates a registry with the metrics that the worker, the API and the bridge have: prom-client's default metrics
 * (`nodejs_eventloop_lag_seconds`, `process_…`), the version, the readiness, and the state of the connection pools.
 */
export function createRegistry({ version, checkReady, pools }: RegistryOptions): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopSampleMs });
  const registers = [registry];
  const sum = (count: (pool: Pool) => number) => pools.reduce((total, pool) => total + count(pool), 0);
  const info = { name: 'ringback_info', help: 'Always 1; the version is in the label.', labelNames: ['version'] };
  new Gauge({ ...info, registers }).set({ version }, 1);
  // A scrape collects metrics in the order of their registration. So this gauge, and the next one, do not count the
  // statements that collect later metrics.
  const connections = new Gauge({
    name: 'ringback_database_connections',
    help: "Connections to PostgreSQL in the pools for Ringback's tables, by state.",
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
    help: 'Statements and transactions that wait for a connection from these pools.',
    registers,
    collect() {
      waiting.set(sum((pool) => pool.waitingCount));
    },
  });
  const serversRespond = createHealthCheck(checkReady);
  const ready = new Gauge({
    name: 'ringback_ready',
    help: '1 if the database accepts writes and, where the process uses it, the queue engine responds, else 0.',
    registers,
    async collect() {
      ready.set((await serversRespond()) ? 1 : 0);
    },
  });
  return registry;
}

type MeasuredGauge = { name: string; help: string; label: string };

/** A gauge with the values that `measure` returns by label, and without samples while it fails. */
function registerMeasured(
  registry: Registry,
  { label, ...texts }: MeasuredGauge,
  measure: () => Promise<Record<string, number>>,
): void {
  const measureValues = createMeasurement(measure);
  const gauge = new Gauge({
    ...texts,
    labelNames: [label],
    registers: [registry],
    async collect() {
      gauge.reset();
      for (const [value, seconds] of Object.entries((await measureValues()) ?? {}))
        gauge.set({ [label]: value }, seconds);
    },
  });
}

/**
 * Registers gauges of PostgreSQL that all processes measure alike: what keeps VACUUM from removing old rows, by the
 * seconds since it began, and how far the partitions of each table reach into the future.
 */
export function registerDatabaseGauges(
  registry: Registry,
  measures: {
    oldestTransaction(): Promise<Record<string, number>>;
    partitionsAhead(): Promise<Record<string, number>>;
  },
): void {
  const oldest = {
    name: 'ringback_database_oldest_transaction_seconds',
    help:
      'How long the oldest transaction has kept VACUUM from removing old rows: of a session (backend), of a ' +
      'replication slot, or a prepared one. 0 if there is none.',
    label: 'kind',
  };
  const ahead = {
    name: 'ringback_database_partitions_ahead_seconds',
    help: 'How far the partitions of a table reach into the future. Below 0, no event can be stored.',
    label: 'table',
  };
  registerMeasured(registry, oldest, measures.oldestTransaction);
  registerMeasured(registry, ahead, measures.partitionsAhead);
}

/**
 * The counters of the events that a process ingested: all by state, and the duplicates whose contents differ from those
 * of the stored event.
 */
export type EventCounters = { byState: Counter<'state'>; conflicting: Counter };

/** Registers the counters of events. */
export function createEventCounters(registry: Registry): EventCounters {
  const byState = new Counter({
    name: 'ringback_events_total',
    help: 'Events that this process ingested from platforms, by state. A duplicate is only counted as such.',
    labelNames: ['state'] as const,
    registers: [registry],
  });
  const conflicting = new Counter({
    name: 'ringback_events_conflicting_total',
    help: 'Duplicates that have the event_id of a stored event, but other contents. They are not sent.',
    registers: [registry],
  });
  for (const state of ['routed', 'unrouted', 'rejected', 'duplicate']) byState.inc({ state }, 0);
  return { byState, conflicting };
}
