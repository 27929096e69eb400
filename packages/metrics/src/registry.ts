import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { succeeds } from './measure.js';

export type RegistryOptions = {
  version: string;
  /** Resolves when the process could do its work: what `/readyz` asks. */
  checkReady: () => Promise<unknown>;
  pool: { totalCount: number; idleCount: number; waitingCount: number };
};

/**
 * What every process of ours tells: Node's figures under their usual names (`nodejs_eventloop_lag_seconds`,
 * `process_…`), the version, whether it is ready, and how its connections to PostgreSQL are used.
 */
export function openRegistry({ version, checkReady, pool }: RegistryOptions): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const info = { name: 'ringback_info', help: 'Always 1; the version is in the label.', labelNames: ['version'] };
  new Gauge({ ...info, registers }).set({ version }, 1);
  // Read before the others, whose statements would be seen in them.
  const connections = new Gauge({
    name: 'ringback_database_connections',
    help: 'Connections of the pool to PostgreSQL, by state.',
    labelNames: ['state'],
    registers,
    collect() {
      connections.set({ state: 'idle' }, pool.idleCount);
      connections.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
    },
  });
  const waiting = new Gauge({
    name: 'ringback_database_waiting',
    help: 'Statements that wait for a connection of the pool.',
    registers,
    collect() {
      waiting.set(pool.waitingCount);
    },
  });
  const isReady = succeeds(checkReady);
  const ready = new Gauge({
    name: 'ringback_ready',
    help: '1 when the database and the queue answer, else 0.',
    registers,
    async collect() {
      ready.set((await isReady()) ? 1 : 0);
    },
  });
  return registry;
}
