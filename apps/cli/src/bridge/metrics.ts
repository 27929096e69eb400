import { requireWritable, type Database } from '@ringback/ledger';
import {
  createEventCounter,
  createHealthServer,
  createRegistry,
  Gauge,
  type IngestedEvent,
} from '@ringback/process/metrics';
import { readVersion } from '@ringback/process';

/**
 * Creates the metrics of a bridge, among them the events by state and whether the broker is connected, and the health
 * server that shows them. `/readyz` is 200 while PostgreSQL accepts writes and the broker is connected.
 */
export function createBridgeMetrics(db: Database) {
  let isConnected = false;
  const check = () => requireWritable(db);
  const registry = createRegistry({ version: readVersion(), checkReady: check, pools: [db.pool] });
  const connected = new Gauge({
    name: 'ringback_bridge_connected',
    help: '1 while the bridge is connected to its broker, else 0.',
    registers: [registry],
  });
  const countEvents = createEventCounter(registry);
  const readMetrics = async () => ({ type: registry.contentType, text: await registry.metrics() });
  const notReadyReason = () => (isConnected ? null : 'the broker is not connected');
  return {
    countEvent: (event: IngestedEvent) => countEvents([event]),
    setConnected(value: boolean) {
      isConnected = value;
      connected.set(value ? 1 : 0);
    },
    createServer: () => createHealthServer({ check, notReadyReason, readMetrics }),
  };
}
