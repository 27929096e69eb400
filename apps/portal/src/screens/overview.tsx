import { Link } from 'wouter';
import type { AccountStatistics } from '../api/schemas.js';
import { Sparkline } from '../chart/sparkline.js';
import { EmptyState, Skeleton } from '../components/states.js';
import { type Column, Table } from '../components/table.js';
import { Untrusted } from '../components/untrusted.js';
import { formatCount, formatMs, formatShare } from '../text/numbers.js';

type WebhookRow = AccountStatistics['webhooks'][number];

const maxRows = 5;

const webhookColumns: Column<WebhookRow>[] = [
  {
    header: 'Webhook',
    isRowHeader: true,
    cell: ({ id, name }) => (
      <Link href={`/webhooks/${id}`}>
        <Untrusted text={name} />
      </Link>
    ),
  },
  { header: 'Delivered and failed', isExtra: true, cell: (row) => <WebhookSparkline webhook={row} /> },
  { header: 'Succeeded', align: 'end', cell: ({ delivered, attempts }) => formatShare(delivered, attempts) },
  { header: 'Failed', align: 'end', cell: ({ failed }) => formatCount(failed) },
  { header: 'Retried', align: 'end', isExtra: true, cell: ({ retried }) => formatCount(retried) },
  {
    header: 'p95 response time',
    align: 'end',
    isExtra: true,
    cell: ({ latency_ms: latency }) => (latency ? formatMs(latency.p95) : '–'),
  },
];

/** Up to 5 webhooks with failures, the most failing first. Without statistics, a placeholder below the heading. */
export function FailingWebhooks({ statistics }: { statistics?: AccountStatistics }) {
  return (
    <section aria-labelledby="failing">
      <div className="section-header">
        <h2 id="failing">Webhooks with failures</h2>
        <Link href="/webhooks">All webhooks</Link>
      </div>
      {statistics ? <FailingTable statistics={statistics} /> : <Skeleton height="12rem" />}
    </section>
  );
}

function FailingTable({ statistics }: { statistics: AccountStatistics }) {
  const rows = statistics.webhooks.filter(({ failed, retried }) => failed + retried > 0).slice(0, maxRows);
  if (rows.length === 0) return <EmptyState title="No callback failed in this time range." />;
  return <Table caption="Webhooks with failures" columns={webhookColumns} rows={rows} rowKey={({ id }) => id} />;
}

function WebhookSparkline({ webhook: { delivered, failed, buckets } }: { webhook: WebhookRow }) {
  return (
    <Sparkline
      label={`${formatCount(delivered)} delivered, ${formatCount(failed)} failed`}
      delivered={buckets.map((bucket) => bucket.delivered)}
      failed={buckets.map((bucket) => bucket.failed)}
    />
  );
}
