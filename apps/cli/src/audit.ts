import type { Command } from 'commander';
import { channels } from '@ringback/callbacks';
import {
  type AuditCounts,
  countLedger,
  type Finding,
  findLedgerFaults,
  findUnknownDeliveries,
  isUuid,
  listSettledPending,
} from '@ringback/database';
import { type Connections, withConnections } from './connect.js';
import { print } from './output.js';
import { parseTime } from './time.js';

type Options = { since?: Date; json?: boolean };

const most = 1_000;
const settledMs = 30_000;
const batch = 10_000;

/** `audit`: whether everything that was accepted is somewhere. Exit code 1 when something is not. */
export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('check that every event and delivery is in the sum, and that rows and jobs belong to each other')
    .option('--since <time>', 'only what came since then, such as 2026-01-31T12:00:00Z', parseTime)
    .option('--json', 'print one JSON document')
    .action(async ({ since = new Date(0), json }: Options) => {
      const { counts, findings } = await withConnections((connections) => audit(connections, since));
      if (json) print({ since: since.toISOString(), ...counts, findings }, { json });
      else printReport(counts, findings);
      if (findings.length > 0) process.exitCode = 1;
    });
}

async function audit({ db, queues }: Connections, since: Date): Promise<{ counts: AuditCounts; findings: Finding[] }> {
  const counts = await countLedger(db, since);
  const findings = await findLedgerFaults(db, { since, limit: most });
  for (const channel of channels) {
    // The rows first: a job that is made meanwhile has a row, but a row that comes meanwhile may have no job yet.
    const pending = await listSettledPending(db, { channel, settledMs, since });
    const queued = await queues.queuedDeliveries(channel);
    for (const id of pending.filter((one) => !queued.has(one)))
      findings.push({ kind: 'delivery', id, problem: 'pending, but has no job' });
    for (const id of await findStrays(db, [...queued]))
      findings.push({ kind: 'delivery', id, problem: 'has a job, but no row' });
  }
  return { counts, findings };
}

async function findStrays(db: Connections['db'], ids: string[]): Promise<string[]> {
  const strays = ids.filter((id) => !isUuid(id));
  const known = ids.filter(isUuid);
  for (let at = 0; at < known.length; at += batch) {
    strays.push(...(await findUnknownDeliveries(db, known.slice(at, at + batch))));
  }
  return strays;
}

function printReport({ events, deliveries, parked }: AuditCounts, findings: Finding[]): void {
  const { accepted, ...byState } = events;
  const total = Object.values(deliveries).reduce((sum, count) => sum + count, 0);
  print({ 'events accepted': accepted, ...byState });
  print({ deliveries: total, ...deliveries, 'of the pending, parked': parked });
  if (findings.length === 0) print({ result: 'everything is accounted for' });
  else print(findings);
}
