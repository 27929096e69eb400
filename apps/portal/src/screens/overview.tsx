import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Api } from '../api/client.js';
import type { AccountStatistics, Delivery } from '../api/schemas.js';
import { Segments } from '../components/fields.js';
import { EmptyState, QueryView, Skeleton } from '../components/states.js';
import { type Column, Table } from '../components/table.js';
import { PhoneNumber, RelativeTime, Untrusted } from '../components/text.js';
import { Page } from '../layout/page.js';
import { newestDeliveriesQuery } from '../resources/deliveries.js';
import { failureLabel } from '../resources/errors.js';
import { eventLabel } from '../resources/events.js';
import { FiguresSkeleton, KeyFigures, OutcomeChart } from '../resources/figures.js';
import { choiceFilter, useFilters } from '../resources/filters.js';
import { accountStatisticsQuery, rangeNames, rangeOptions, ranges } from '../resources/statistics.js';
import { WebhookLink, WebhookSparkline } from '../resources/webhooks.js';
import { useApi } from '../session/session.js';
import { formatCount, formatMs, formatShare } from '../text/format.js';

const parsers = { range: choiceFilter(rangeNames) };

/** The statistics of the account, and its newest failures. */
export default function OverviewScreen() {
  const api = useApi();
  const filters = useFilters(parsers);
  const range = filters.values.range ?? '24h';
  const current = useQuery(accountStatisticsQuery(api, { range }));
  const previous = useQuery(accountStatisticsQuery(api, { range, isPrevious: true }));
  // The failures load with the statistics, but are shown after them, so that nothing moves.
  useQuery(lastFailuresQuery(api));
  const changeRange = (value: string) => filters.change({ range: value });
  const picker = <Segments label="Time range" value={range} onChange={changeRange} options={rangeOptions} />;
  const skeleton = (
    <>
      <FiguresSkeleton />
      <FailingWebhooks />
    </>
  );
  return (
    <Page title="Overview" actions={picker} filters={filters}>
      <QueryView query={current} skeleton={skeleton}>
        {(statistics) => (
          <>
            <KeyFigures figures={keyFigures(statistics, previous.data?.totals, ranges[range].previousLabel)} />
            <OutcomeChart statistics={statistics} />
            <FailingWebhooks statistics={statistics} />
          </>
        )}
      </QueryView>
      {!current.isPending && <LastFailures />}
    </Page>
  );
}

type Totals = AccountStatistics['totals'];

/** The key figures, most of them with the value of the previous range, once it is loaded. */
function keyFigures({ totals, waiting }: AccountStatistics, previous: Totals | undefined, previousLabel: string) {
  const { attempts, delivered, failed, latency_ms: latency } = totals;
  const previousMedian = previous?.latency_ms && `; median previously ${formatMs(previous.latency_ms.p50)}`;
  return [
    {
      label: 'Attempts',
      value: formatCount(attempts),
      note: previous && `${formatCount(previous.attempts)} in ${previousLabel}`,
    },
    {
      label: 'Succeeded',
      value: formatShare(delivered, attempts),
      note: previous && previous.attempts > 0 && `${formatShare(previous.delivered, previous.attempts)} previously`,
    },
    {
      label: 'Failed for good',
      value: formatCount(failed),
      note: previous && `${formatCount(previous.failed)} previously`,
    },
    {
      label: 'Median response time',
      value: latency ? formatMs(latency.p50) : '–',
      note: `${latency ? `p95: ${formatMs(latency.p95)}` : ''}${previousMedian ?? ''}`,
    },
    {
      label: 'Waiting now',
      value: `${formatCount(waiting.count)}${waiting.is_capped ? ' or more' : ''}`,
      note: `${formatCount(waiting.retries)} of them wait for a retry`,
    },
  ];
}

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
  { header: 'Delivered and failed', isExtra: true, cell: (row) => <WebhookSparkline counts={row} /> },
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
function FailingWebhooks({ statistics }: { statistics?: AccountStatistics }) {
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

const failureColumns: Column<Delivery>[] = [
  {
    header: 'Failure',
    isRowHeader: true,
    cell: (delivery) => <Link href={`/deliveries/${delivery.id}`}>{failureLabel(delivery)}</Link>,
  },
  { header: 'When', cell: ({ updated_at }) => <RelativeTime value={updated_at} /> },
  { header: 'Webhook', cell: ({ webhook_id }) => <WebhookLink id={webhook_id} /> },
  { header: 'Event', isExtra: true, cell: ({ event }) => eventLabel(event) },
  { header: 'Number', isExtra: true, cell: ({ mobile }) => <PhoneNumber number={mobile} /> },
];

const lastFailuresQuery = (api: Api) => ({
  ...newestDeliveriesQuery(api, { 'filter[status]': 'failed', per_page: 5 }),
  refetchInterval: 30_000,
});

/** The newest failed deliveries. */
function LastFailures() {
  const query = useQuery(lastFailuresQuery(useApi()));
  return (
    <section aria-labelledby="failures">
      <div className="section-header">
        <h2 id="failures">Last failed deliveries</h2>
        <Link href="/deliveries?status=failed">All failed deliveries</Link>
      </div>
      <QueryView query={query} skeleton={<Skeleton height="8rem" />}>
        {(rows) =>
          rows.length > 0 ? (
            <Table caption="Last failed deliveries" columns={failureColumns} rows={rows} rowKey={({ id }) => id} />
          ) : (
            <EmptyState title="No delivery has failed." />
          )
        }
      </QueryView>
    </section>
  );
}
