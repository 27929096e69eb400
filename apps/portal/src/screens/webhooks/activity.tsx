import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Delivery, Statistics } from '../../api/schemas.js';
import { Segments } from '../../components/fields.js';
import { EmptyState, QueryView, Skeleton } from '../../components/states.js';
import { type Column, Table } from '../../components/table.js';
import { PhoneNumber, RelativeTime, Time } from '../../components/text.js';
import { DeliveryBadge, newestDeliveriesQuery } from '../../resources/deliveries.js';
import { errorLabel, failureLabel } from '../../resources/errors.js';
import { eventLabel } from '../../resources/events.js';
import { FiguresSkeleton, KeyFigures, OutcomeChart } from '../../resources/figures.js';
import { type RangeName, rangeOptions, rangeQuery, webhookStatisticsQuery } from '../../resources/statistics.js';
import { useApi } from '../../session/session.js';
import { formatCount, formatMs, formatShare } from '../../text/format.js';

type ActivityProps = { id: string; range: RangeName; onRange: (range: RangeName) => void };

/** The statistics and the newest deliveries of the webhook. */
export function Activity({ id, range, onRange }: ActivityProps) {
  const query = useQuery(webhookStatisticsQuery(useApi(), id, range));
  return (
    <>
      <div className="section-header">
        <h2>Statistics</h2>
        <Segments label="Time range" value={range} onChange={onRange} options={rangeOptions} />
      </div>
      <QueryView query={query} skeleton={<FiguresSkeleton />}>
        {(statistics) => (
          <>
            <KeyFigures figures={keyFigures(statistics)} />
            <OutcomeChart statistics={statistics} />
            <Breakdown
              id={id}
              totals={statistics.totals}
              since={rangeQuery(range, { now: Date.parse(statistics.to) }).from}
            />
          </>
        )}
      </QueryView>
      <LastDeliveries id={id} />
    </>
  );
}

function keyFigures({ totals, waiting }: Statistics) {
  const { attempts, delivered, retried, failed, skipped, latency_ms: latency } = totals;
  const percentiles =
    latency && `p90: ${formatMs(latency.p90)}, p95: ${formatMs(latency.p95)}, p99: ${formatMs(latency.p99)}`;
  return [
    { label: 'Attempts', value: formatCount(attempts), note: `${formatCount(retried)} of them failed and had a retry` },
    {
      label: 'Succeeded',
      value: formatShare(delivered, attempts),
      note: `${formatCount(delivered)} of ${formatCount(attempts)}`,
    },
    {
      label: 'Failed for good',
      value: formatCount(failed),
      note: skipped > 0 && `${formatCount(skipped)} more were skipped`,
    },
    { label: 'Median response time', value: latency ? formatMs(latency.p50) : '–', note: percentiles },
    {
      label: 'Retries waiting',
      value: formatCount(waiting.retries),
      note: `${formatCount(waiting.count)}${waiting.is_capped ? ' or more' : ''} deliveries waiting in total`,
    },
  ];
}

type BreakdownProps = {
  id: string;
  totals: Statistics['totals'];
  /** The start of the range, for the links to deliveries. */
  since: string;
};

/** The numbers of attempts by response status, and by error if there was no response. */
function Breakdown({ id, totals: { by_status, by_error, attempts }, since }: BreakdownProps) {
  const hrefOf = (filter: Record<string, string>) =>
    `/deliveries?${new URLSearchParams({ webhook_id: id, ...filter, since }).toString()}`;
  const statuses = rowsOf(by_status, (status) => ({ label: status, href: hrefOf({ response_code: status }) }));
  const errors = rowsOf(by_error, (error) => ({ label: errorLabel(error), href: hrefOf({ error }) }));
  return (
    <div className="pair">
      <section aria-labelledby="statuses">
        <h2 id="statuses">Responses by status</h2>
        <CountTable caption="Responses by status" header="Status" rows={statuses} total={attempts} />
      </section>
      <section aria-labelledby="errors">
        <h2 id="errors">Attempts without a response</h2>
        <CountTable caption="Attempts without a response" header="Error" rows={errors} total={attempts} />
      </section>
    </div>
  );
}

type CountRow = { label: string; href: string; count: number };

/** One row for each count, largest first. */
const rowsOf = (counts: Record<string, number>, describe: (key: string) => Omit<CountRow, 'count'>): CountRow[] =>
  Object.entries(counts)
    .sort(([, first], [, second]) => second - first)
    .map(([key, count]) => ({ ...describe(key), count }));

type CountTableProps = { caption: string; header: string; rows: readonly CountRow[]; total: number };

function CountTable({ caption, header, rows, total }: CountTableProps) {
  if (rows.length === 0) return <p className="hint">None in this time range.</p>;
  const columns: Column<CountRow>[] = [
    { header, isRowHeader: true, cell: ({ label, href }) => <Link href={href}>{label}</Link> },
    { header: 'Attempts', align: 'end', cell: ({ count }) => formatCount(count) },
    { header: 'Share', align: 'end', cell: ({ count }) => formatShare(count, total) },
  ];
  return <Table caption={caption} columns={columns} rows={rows} rowKey={({ label }) => label} />;
}

const resultOf = (delivery: Delivery) => {
  if (delivery.error !== null || delivery.state === 'failed') return failureLabel(delivery);
  return delivery.response_code === null ? (delivery.reason ?? '–') : `Status ${delivery.response_code}`;
};

const deliveryColumns: Column<Delivery>[] = [
  {
    header: 'Created',
    isRowHeader: true,
    cell: ({ id, created_at }) => (
      <Link href={`/deliveries/${id}`}>
        <Time value={created_at} />
      </Link>
    ),
  },
  { header: 'State', cell: ({ state }) => <DeliveryBadge state={state} /> },
  { header: 'Last result', cell: resultOf },
  { header: 'Event', isExtra: true, cell: ({ event }) => eventLabel(event) },
  { header: 'Number', isExtra: true, cell: ({ mobile }) => <PhoneNumber number={mobile} /> },
  { header: 'Attempts', align: 'end', isExtra: true, cell: ({ attempt_count }) => attempt_count },
  {
    header: 'Next attempt',
    isExtra: true,
    cell: ({ due_at: next }) => (next === null ? '–' : <RelativeTime value={next} />),
  },
];

/** The newest deliveries of the webhook. */
function LastDeliveries({ id }: { id: string }) {
  const newest = newestDeliveriesQuery(useApi(), { 'filter[webhook_id]': id, per_page: 10 });
  const query = useQuery({ ...newest, refetchInterval: 10_000 });
  return (
    <section aria-labelledby="deliveries">
      <div className="section-header">
        <h2 id="deliveries">Last deliveries</h2>
        <Link href={`/deliveries?webhook_id=${id}`}>All deliveries of this webhook</Link>
      </div>
      <QueryView query={query} skeleton={<Skeleton height="16rem" />}>
        {(rows) =>
          rows.length > 0 ? (
            <Table caption="Last deliveries" columns={deliveryColumns} rows={rows} rowKey={(row) => row.id} />
          ) : (
            <EmptyState title="There are no deliveries yet.">
              <p>
                Deliveries appear when an event arrives that the webhook subscribes to. A test call shows whether the
                receiver can be reached.
              </p>
            </EmptyState>
          )
        }
      </QueryView>
    </section>
  );
}
