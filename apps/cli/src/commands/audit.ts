import type { Command } from 'commander';
import {
  type LedgerCounts,
  countLedger,
  type Finding,
  checkLedger,
  findUnknownVerifications,
  isUuid,
  listIdlePendingVerifications,
} from '@ringback/ledger';
import { auditEventQueues } from './audit-event-queues.js';
import { type Connections, withConnections } from '../connect.js';
import { print } from '../output.js';
import { type Json, jsonOption, parseTime } from '../options.js';

type Options = Json & { since?: Date };

const maxFindingsPerCheck = 1_000;
// A verification that was updated in the last 30 s is left out: its job may not be stored yet, or a worker may be
// processing the job.
const minIdleMs = 30_000;
const maxIdsPerQuery = 10_000;

/** Adds the command `audit`. */
export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description(
      'find lost events and deliveries, stuck deliveries, verifications without a job, and event queues ' +
        'that are not being processed; exit code 1 when there is a problem',
    )
    .option('--since <time>', 'check only events received since this time, such as 2026-01-31T12:00:00Z', parseTime)
    .addOption(jsonOption())
    .action(async ({ since = new Date(0), json }: Options) => {
      const { counts, findings } = await withConnections((connections) => audit(connections, since));
      if (json) print({ since: since.toISOString(), ...countsJson(counts), findings }, { json });
      else printReport(counts, findings);
      if (findings.length > 0) process.exitCode = 1;
    });
}

async function audit({ db, queues }: Connections, since: Date): Promise<{ counts: LedgerCounts; findings: Finding[] }> {
  const counts = await countLedger(db, since);
  const findings = await checkLedger(db, { since, limit: maxFindingsPerCheck });
  const verificationFindings = await findVerificationFaults({ db, queues }, since);
  const queueFindings = await auditEventQueues(queues);
  return { counts, findings: [...findings, ...verificationFindings, ...queueFindings] };
}

/** Finds pending verifications that have no job, and jobs of the verification queue that have no verification. */
async function findVerificationFaults(
  { db, queues }: Pick<Connections, 'db' | 'queues'>,
  since: Date,
): Promise<Finding[]> {
  // The rows are read before the jobs, because a row is stored before its job. In the other order, a verification whose
  // row and job are stored between the two reads would seem to have no job.
  const pendingIds = await listIdlePendingVerifications(db, { minIdleMs, since });
  const jobIds = await queues.listQueuedVerifications();
  const withoutJob = pendingIds.filter((id) => !jobIds.has(id));
  const withoutRow = [...jobIds].filter((id) => !isUuid(id));
  const uuids = [...jobIds].filter(isUuid);
  for (let start = 0; start < uuids.length; start += maxIdsPerQuery)
    withoutRow.push(...(await findUnknownVerifications(db, uuids.slice(start, start + maxIdsPerQuery))));
  const kind = 'verification';
  return [
    ...withoutJob.map((id) => ({ kind, id, problem: 'is pending but has no job' }) as const),
    ...withoutRow.map((id) => ({ kind, id, problem: 'has a job but no row' }) as const),
  ];
}

const countsJson = ({ events: { total, ...byState }, ...counts }: LedgerCounts) => ({
  events: { accepted: total, ...byState },
  ...counts,
});

function printReport({ events, deliveries, leased }: LedgerCounts, findings: Finding[]): void {
  const { total, ...byState } = events;
  const deliveryCount = Object.values(deliveries).reduce((sum, count) => sum + count, 0);
  print({ events: total, ...byState });
  print({ deliveries: deliveryCount, ...deliveries, 'pending deliveries with a lease': leased });
  if (findings.length === 0) print({ result: 'no problems found' });
  else print(findings);
}
