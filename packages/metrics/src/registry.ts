import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { succeeds } from './measure.js';

export type RegistryOptions = {
  version: string;
  /** Resolves when the process could do its work: what `/readyz` asks. */
  checkReady: () => Promise<unknown>;
  pools: Pool[];
};

type Pool = { totalCount: number; idleCount: number; waitingCount: number };

/**
 * What every process of ours tells: Node's figures under their usual names (`nodejs_eventloop_lag_seconds`,
 * `process_…`), the version, whether it is ready, and how its connections to PostgreSQL are used.
 */
export function openRegistry({ version, checkReady, pools }: RegistryOptions): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const sum = (read: (pool: Pool) => number) => pools.reduce((total, pool) => total + read(pool), 0);
  const info = { name: 'ringback_info', help: 'Always 1; the version is in the label.', labelNames: ['version'] };
  new Gauge({ ...info, registers }).set({ version }, 1);
  // Read before the others, whose statements would be seen in them.
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
