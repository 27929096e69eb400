import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type Api, unwrap } from '../../api/client.js';
import type { Delivery } from '../../api/schemas.js';
import { PhoneNumber } from '../../components/phone-number.js';
import { QueryView } from '../../components/query-view.js';
import { EmptyState, Skeleton } from '../../components/states.js';
import { type Column, Table } from '../../components/table.js';
import { RelativeTime } from '../../components/text.js';
import { WebhookLink } from '../../components/webhook-link.js';
import { failureLabel } from '../../resources/errors.js';
import { eventLabel } from '../../resources/events.js';
import { useApi } from '../../session/session-context.js';

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
export const lastFailuresQuery = (api: Api) =>
  queryOptions({
    queryKey: ['deliveries', 'last-failures'],
    queryFn: async ({ signal }) => {
      const filter = { 'filter[status]': 'failed', per_page: 5 };
      return (await unwrap(api.GET('/developer/deliveries', { params: { query: filter }, signal }))).data;
    },
    refetchInterval: 30_000,
  });

/** The newest failed deliveries. */
export function LastFailures() {
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
