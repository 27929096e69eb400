import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { requireUnavailable, startTraffic } from '../outage.js';
import { countLockWaits, userName, withLockedTable } from '../postgres.js';
import { awaitState, type Scenario, type ScenarioContext } from '../scenario.js';

/** PostgreSQL is down for a while. No attempt is used up and no call is repeated because of that. */
export const postgresStopped: Scenario = {
  name: 'postgres-stopped',
  title: 'PostgreSQL is stopped: no event is lost, and workers continue after its restart',
  backends: ['redis', 'postgres'],
  async run(context) {
    const { api, workers, loads, stop } = await startTraffic(context, { failing: false });
    const act = async () => {
      await context.postgres.stop();
      await requireDown(context);
      context.recordFault('PostgreSQL is stopped');
      await sleep(context.bySize({ small: 8_000, normal: 15_000, full: 30_000 }));
      await context.postgres.start();
      context.recordFault('PostgreSQL was started');
    };
    await requireUnavailable(context, { api, workers, withinMs: 3_000, act });
    await sleep(1_000);
    await stop();
    const { recoveryMs } = await context.settle(loads);
    requireFirstAttempts(context);
    context.requireWithin(30_000, recoveryMs, 'recovery');
  },
};

/** Connections to PostgreSQL are terminated repeatedly, and then the server restarts. */
export const postgresRestarts: Scenario = {
  name: 'postgres-restarts',
  title: 'all connections to PostgreSQL are terminated repeatedly, and it restarts: no event is lost',
  backends: ['redis', 'postgres'],
  async run(context) {
    const { loads, stop } = await startTraffic(context, { failing: false });
    for (let round = 0; round < context.bySize({ test: 2, small: 3, normal: 8, full: 20 }); round++) {
      context.recordFault(`${await terminateAll(context)} connections were terminated`);
      await sleep(1_000);
    }
    await context.postgres.stop();
    await requireDown(context);
    await context.postgres.start();
    context.recordFault('PostgreSQL was restarted');
    await sleep(1_000);
    await stop();
    await context.settle(loads);
    requireFirstAttempts(context);
  },
};

/** Every statement on the table of deliveries waits for a lock. Workers wait to record their calls and repeat none. */
export const postgresLocked: Scenario = {
  name: 'postgres-locked',
  title: 'the deliveries table is locked: no callback is made twice',
  backends: ['redis', 'postgres'],
  async run(context) {
    const { api, workers, loads, stop } = await startTraffic(context, { failing: false });
    const act = async () => {
      await withLockedTable(context, 'deliveries', async () => {
        const isWaiting = async () => (await countLockWaits(context, 'deliveries')) > 1;
        await awaitState('statements wait for the lock', isWaiting);
        context.recordFault('the table of deliveries is locked');
        await sleep(context.bySize({ small: 5_000, normal: 12_000, full: 60_000 }));
      });
      context.recordFault('the lock is released');
    };
    // Pushes wait for the lock too, and exhaust the connection pool of the API.
    await requireUnavailable(context, { api, workers, withinMs: 3_500, minRefused: 1, act });
    await sleep(1_000);
    await stop();
    await context.settle(loads);
    requireFirstAttempts(context);
  },
};

/** PostgreSQL refuses writes, as after a failover, and then new connections. */
export const postgresRefusing: Scenario = {
  name: 'postgres-refusing',
  title: 'PostgreSQL is read-only, then has no free connections: no event is lost',
  backends: ['redis', 'postgres'],
  async run(context) {
    const { api, workers, loads, stop } = await startTraffic(context, { failing: false });
    const outageMs = context.bySize({ small: 4_000, normal: 8_000, full: 20_000 });
    const { postgres, database } = context;
    const refuseWrites = async () => {
      await postgres.query('postgres', `ALTER DATABASE ${database} SET default_transaction_read_only = on`);
      await terminateAll(context);
      const error = await postgres.query(database, 'CREATE TABLE probe ()').catch((reason: unknown) => reason);
      context.require(codeOf(error) === '25006', `a write got ${String(error)}`);
      context.recordFault('PostgreSQL refuses writes');
      await sleep(outageMs);
      await postgres.query('postgres', `ALTER DATABASE ${database} RESET default_transaction_read_only`);
      await terminateAll(context);
      context.recordFault('PostgreSQL accepts writes again');
    };
    await requireUnavailable(context, { api, workers, withinMs: 3_000, act: refuseWrites });
    const refuseConnections = async () => {
      await postgres.query('postgres', `ALTER ROLE ${userName} CONNECTION LIMIT 0`);
      try {
        await terminateAll(context);
        const error = await tryConnect(postgres.url(database));
        context.require(codeOf(error) === '53300', `a connection got ${String(error)}`);
        context.recordFault('PostgreSQL refuses connections');
        await sleep(outageMs);
      } finally {
        // The next scenario has the same role.
        await postgres.query('postgres', `ALTER ROLE ${userName} CONNECTION LIMIT -1`);
      }
      context.recordFault('PostgreSQL accepts connections again');
    };
    await requireUnavailable(context, { api, workers, withinMs: 3_000, act: refuseConnections });
    await sleep(1_000);
    await stop();
    await context.settle(loads);
    requireFirstAttempts(context);
  },
};

/** Opens a connection and closes it. Resolves with the error if the connection is refused. */
async function tryConnect(connectionString: string): Promise<unknown> {
  const client = new pg.Client({ connectionString });
  return client.connect().then(
    () => client.end(),
    (reason: unknown) => reason,
  );
}

const codeOf = (error: unknown) =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

async function requireDown({ postgres, database }: ScenarioContext): Promise<void> {
  const isDown = await postgres.query(database, 'SELECT 1').then(
    () => false,
    () => true,
  );
  if (!isDown) throw new Error('PostgreSQL should be down, and responded');
}

/** Terminates all connections of the scenario's database. Resolves with their number. */
async function terminateAll({ postgres, database }: ScenarioContext): Promise<number> {
  const statement = `SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity WHERE datname = $1`;
  const rows = await postgres.query<{ ended: boolean }>('postgres', statement, [database]);
  const ended = rows.filter((row) => row.ended).length;
  if (ended === 0) throw new Error('there are no connections to terminate');
  return ended;
}

/** Requires that no delivery had a retry. The receiver always responds with 200, so a retry means a wasted attempt. */
function requireFirstAttempts(context: ScenarioContext): void {
  const retries = context.recorder.calls.filter(({ attempt }) => attempt > 1).length;
  context.require(retries === 0, `${retries} calls were retries`);
}
