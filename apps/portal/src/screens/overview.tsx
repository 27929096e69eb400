import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type Api, unwrap } from '../api/client.js';
import type { AccountStatistics, Delivery } from '../api/schemas.js';
import { Sparkline } from '../components/chart.js';
import { Segments } from '../components/fields.js';
import { EmptyState, QueryView, Skeleton } from '../components/states.js';
import { type Column, Table } from '../components/table.js';
import { PhoneNumber, RelativeTime, Untrusted } from '../components/text.js';
import { FilterProblems, Page } from '../layout/page.js';
import { failureLabel } from '../resources/errors.js';
import { eventLabel } from '../resources/events.js';
import { choiceFilter, useFilters } from '../resources/filters.js';
import {
  accountStatisticsQuery,
  OutcomeChart,
  rangeNames,
  rangeOptions,
  ranges,
  StatisticsSkeleton,
  Tile,
} from '../resources/statistics.js';
import { WebhookLink } from '../resources/webhooks.js';
import { useApi } from '../session/session.js';
import { formatCount, formatMs, formatShare } from '../text/format.js';

const parsers = { range: choiceFilter(rangeNames) };

/** The statistics of the account, and its newest failures. */
export default function OverviewScreen() {
  const api = useApi();
  const { values, problems, change, clear } = useFilters(parsers);
  const range = values.range ?? '24h';
  const current = useQuery(accountStatisticsQuery(api, { range }));
  const previous = useQuery(accountStatisticsQuery(api, { range, isPrevious: true }));
  // The failures load with the statistics, but are shown after them, so that nothing moves.
  useQuery(lastFailuresQuery(api));
  const picker = (
    <Segments label="Time range" value={range} onChange={(value) => change({ range: value })} options={rangeOptions} />
  );
  const skeleton = (
    <>
      <StatisticsSkeleton />
      <FailingWebhooks />
    </>
  );
  return (
    <Page title="Overview" actions={picker}>
      <FilterProblems problems={problems} onClear={clear} />
      <QueryView query={current} skeleton={skeleton}>
        {(statistics) => (
          <>
            <KeyFigures statistics={statistics} previous={previous.data} previousLabel={ranges[range].previousLabel} />
            <OutcomeChart statistics={statistics} />
            <FailingWebhooks statistics={statistics} />
          </>
        )}
      </QueryView>
      {!current.isPending && <LastFailures />}
    </Page>
  );
}

type KeyFiguresProps = {
  statistics: AccountStatistics;
  /** The statistics of the previous range. Undefined until they are loaded. */
  previous: AccountStatistics | undefined;
  /** The name of the previous range, such as "the previous 24 hours". */
  previousLabel: string;
};

/** The key figures, most of them with the value of the previous range. */
function KeyFigures({ statistics: { totals, waiting }, previous, previousLabel }: KeyFiguresProps) {
  const previousTotals = previous?.totals;
  const { latency_ms: latency } = totals;
  const previousLatency = previousTotals?.latency_ms;
  return (
    <section aria-label="Key figures">
      <dl className="tiles">
        <Tile label="Attempts" value={formatCount(totals.attempts)}>
          {previousTotals && `${formatCount(previousTotals.attempts)} in ${previousLabel}`}
        </Tile>
        <Tile label="Succeeded" value={formatShare(totals.delivered, totals.attempts)}>
          {previousTotals &&
            previousTotals.attempts > 0 &&
            `${formatShare(previousTotals.delivered, previousTotals.attempts)} previously`}
        </Tile>
        <Tile label="Failed for good" value={formatCount(totals.failed)}>
          {previousTotals && `${formatCount(previousTotals.failed)} previously`}
        </Tile>
        <Tile label="Median response time" value={latency ? formatMs(latency.p50) : '–'}>
          {latency && `p95: ${formatMs(latency.p95)}`}
          {previousLatency && `; median previously ${formatMs(previousLatency.p50)}`}
        </Tile>
        <Tile label="Waiting now" value={`${formatCount(waiting.count)}${waiting.is_capped ? ' or more' : ''}`}>
          {formatCount(waiting.retries)} of them wait for a retry
        </Tile>
      </dl>
    </section>
  );
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

function WebhookSparkline({ webhook: { delivered, failed, buckets } }: { webhook: WebhookRow }) {
  return (
    <Sparkline
      label={`${formatCount(delivered)} delivered, ${formatCount(failed)} failed`}
      delivered={buckets.map((bucket) => bucket.delivered)}
      failed={buckets.map((bucket) => bucket.failed)}
    />
  );
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

/** Query for the newest failed deliveries, refetched every 30 s. */
const lastFailuresQuery = (api: Api) =>
  queryOptions({
    queryKey: ['deliveries', 'last-failures'],
    queryFn: async ({ signal }) => {
      const filter = { 'filter[status]': 'failed', per_page: 5 };
      return (await unwrap(api.GET('/developer/deliveries', { params: { query: filter }, signal }))).data;
    },
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
