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

const maxLedgerFindings = 1_000;
// A challenge that was stored later than this may not have its job yet.
const settledMs = 30_000;
const batchSize = 10_000;

/** Adds `audit`, which checks that no event, delivery or challenge is lost or stuck. Exit code 1 when one is. */
export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description(
      'check that no event or delivery is lost, that no delivery is stuck, that each challenge has a job, and that the ' +
        'ingress queues are being processed; exit code 1 when something is wrong',
    )
    .option('--since <time>', 'check only events received since this time, such as 2026-01-31T12:00:00Z', parseTime)
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
  const findings = await findLedgerFaults(db, { since, limit: maxLedgerFindings });
  const challenges = await compareJobs('verification', {
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

/** Finds rows that should have a job and have none, and jobs without a row. */
async function compareJobs(kind: Finding['kind'], { pending, queued, unknown }: Sides): Promise<Finding[]> {
  // Rows are read first: a job that is added in between has a row, but a row that is added in between may have no job yet.
  const rows = await pending();
  const jobs = await queued();
  const withoutJob = rows.filter((id) => !jobs.has(id));
  const orphans = [...jobs].filter((id) => !isUuid(id));
  const known = [...jobs].filter(isUuid);
  for (let start = 0; start < known.length; start += batchSize)
    orphans.push(...(await unknown(known.slice(start, start + batchSize))));
  return [
    ...withoutJob.map((id) => ({ kind, id, problem: 'is pending but has no job' })),
    ...orphans.map((id) => ({ kind, id, problem: 'has a job but no row' })),
  ];
}

function printReport({ events, deliveries, leased }: AuditCounts, findings: Finding[]): void {
  const { accepted, ...byState } = events;
  const total = Object.values(deliveries).reduce((sum, count) => sum + count, 0);
  print({ 'events accepted': accepted, ...byState });
  print({ deliveries: total, ...deliveries, 'of the pending, leased': leased });
  if (findings.length === 0) print({ result: 'no problems found' });
  else print(findings);
}
