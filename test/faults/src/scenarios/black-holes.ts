import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpProxy } from '@ringback/testing';
import { requireUnavailable, startTraffic } from '../outage.js';
import type { Scenario, ScenarioContext } from '../scenario.js';

/** The network to Redis drops all packets. Connections from before the fault stay silent afterwards. */
export const redisBlackHole: Scenario = {
  name: 'redis-black-hole',
  title: 'the network to Redis drops all packets for 30 s: no event is lost',
  backends: ['redis'],
  run: (context) => dropPackets(context, { variable: 'REDIS_URL', withinMs: 2_000, recoveredWithinMs: 40_000 }),
};

/**
 * The network to PostgreSQL drops all packets. A worker's statements time out only after 30 s, because they may wait
 * for a lock.
 */
export const postgresBlackHole: Scenario = {
  name: 'postgres-black-hole',
  title: 'the network to PostgreSQL drops all packets for 30 s: no event is lost',
  backends: ['redis', 'postgres'],
  run: (context) => dropPackets(context, { variable: 'DATABASE_URL', withinMs: 3_000, recoveredWithinMs: 60_000 }),
};

type BlackHole = { variable: 'REDIS_URL' | 'DATABASE_URL'; withinMs: number; recoveredWithinMs: number };

async function dropPackets(
  context: ScenarioContext,
  { variable, withinMs, recoveredWithinMs }: BlackHole,
): Promise<void> {
  const url = context.env[variable] ?? '';
  const proxy = await context.startProxy(url);
  const proxyUrl = proxy.proxyUrlFor(url);
  const { api, workers, loads, stop } = await startTraffic(context, { env: { [variable]: proxyUrl } });
  context.require(!(await isSilent(proxyUrl)), 'the server is silent before the fault');
  await requireUnavailable(context, {
    api,
    workers,
    withinMs,
    isApiUnaffected: variable === 'REDIS_URL',
    act: () => swallow(context, proxy, proxyUrl),
  });
  await sleep(1_000);
  await stop();
  // With the queues in PostgreSQL, leases may expire before the attempts are recorded, so calls may be repeated.
  const maxDuplicates = context.backend === 'postgres' ? 2 * Number(context.env.WORKER_CONCURRENCY) : 0;
  const { recoveryMs } = await context.settle(loads, { withinMs: 200_000, maxDuplicates });
  context.requireWithin(recoveredWithinMs, recoveryMs, 'recovery');
}

async function swallow(context: ScenarioContext, proxy: TcpProxy, proxyUrl: string): Promise<void> {
  proxy.dropTraffic();
  if (await isSilent(proxyUrl)) context.recordFault('the network drops all packets');
  await sleep(context.bySize({ small: 12_000, normal: 30_000, full: 30_000 }));
  proxy.pass();
  if (!(await isSilent(proxyUrl))) context.recordFault('the network is back');
}

/** Whether a server neither responds nor closes the connection for a second. Both servers respond to any bytes. */
function isSilent(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write('PING\r\n\r\n'));
    const end = (isSilentSoFar: boolean) => {
      socket.destroy();
      resolve(isSilentSoFar);
    };
    socket.setTimeout(1_000, () => end(true));
    for (const event of ['data', 'close', 'error']) socket.once(event, () => end(false));
  });
}
