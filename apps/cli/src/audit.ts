import type { Command } from 'commander';
import {
  type AuditCounts,
  countLedger,
  type Finding,
  findLedgerFaults,
  findUnknownVerifications,
  isUuid,
  listSettledVerifications,
} from '@ringback/database';
import { findIngressFaults } from './audit-ingress.js';
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
    .description(
      'check that every event and delivery is in the sum, that no delivery is stuck, that each challenge has its job, and that ' +
        'ingress queues move on',
    )
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
  const challenges = await compare('verification', {
    pending: () => listSettledVerifications(db, { settledMs, since }),
    queued: () => queues.queuedVerifications(),
    unknown: (ids) => findUnknownVerifications(db, ids),
  });
  const ingress = await findIngressFaults(queues);
  return { counts, findings: [...findings, ...challenges, ...ingress] };
}

type Sides = {
  pending(): Promise<string[]>;
  queued(): Promise<Set<string>>;
  unknown(ids: string[]): Promise<string[]>;
};

/** Rows that should have a job and have none, and jobs without a row. */
async function compare(kind: Finding['kind'], { pending, queued, unknown }: Sides): Promise<Finding[]> {
  // The rows first: a job that is made meanwhile has a row, but a row that comes meanwhile may have no job yet.
  const rows = await pending();
  const jobs = await queued();
  const withoutJob = rows.filter((id) => !jobs.has(id));
  const strays = [...jobs].filter((id) => !isUuid(id));
  const known = [...jobs].filter(isUuid);
  for (let at = 0; at < known.length; at += batch) strays.push(...(await unknown(known.slice(at, at + batch))));
  return [
    ...withoutJob.map((id) => ({ kind, id, problem: 'pending, but has no job' })),
    ...strays.map((id) => ({ kind, id, problem: 'has a job, but no row' })),
  ];
}

function printReport({ events, deliveries, leased }: AuditCounts, findings: Finding[]): void {
  const { accepted, ...byState } = events;
  const total = Object.values(deliveries).reduce((sum, count) => sum + count, 0);
  print({ 'events accepted': accepted, ...byState });
  print({ deliveries: total, ...deliveries, 'of the pending, leased': leased });
  if (findings.length === 0) print({ result: 'everything is accounted for' });
  else print(findings);
}
